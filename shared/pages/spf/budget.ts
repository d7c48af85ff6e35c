/** The look-ups as a bar out of ten, and who spends them. */
import type { Expansion } from '../../protocol/spf/expand.ts';
import { MANY_LOOKUPS, MAX_LOOKUPS, MAX_VOID_LOOKUPS } from '../../protocol/spf/limits.ts';
import { counted, html, type Markup, visibleStart } from '../markup.ts';
import { first } from './extent.ts';

/** How many units beyond the limit the bar draws; beyond them a number says the rest. */
const MAX_BEYOND = 10;

export function budget(
  { totalLookupCount: total, mechanisms, voidLookupCount, unknown }: Expansion,
  entries: number,
): Markup {
  const spending = mechanisms.filter(({ totalLookups }) => totalLookups > 0);
  const tone = total > MAX_LOOKUPS ? 'bad' : total >= MANY_LOOKUPS ? 'warn' : 'good';
  const voids = Math.max(voidLookupCount.ip4, voidLookupCount.ip6);
  return html`<section aria-labelledby="budget">
<h2 id="budget">Look-ups</h2>
<p>${sentence(total)}${unknown.length > 0 ? ' What did not answer may need more.' : ''}</p>
<div class="bar ${tone}" role="img" aria-label="${total} of ${MAX_LOOKUPS} look-ups">${units(
    total,
    spending.map(({ totalLookups }) => totalLookups),
  )}</div>
${
  spending.length === 0
    ? ''
    : html`<ul class="bill">${first(
        spending,
        entries,
        ({ text, totalLookups }) =>
          html`<li><code>${visibleStart(text, 80)}</code><span class="n">${counted(totalLookups, 'look-up')}</span></li>`,
      )}</ul>`
}
${voids === 0 ? '' : html`<p class="soft">${counted(voids, 'look-up')} of these found nothing (void); receivers accept ${MAX_VOID_LOOKUPS}.</p>`}
</section>`;
}

function sentence(total: number): string {
  if (total === 0) return 'Receivers need no look-up for this record.';
  if (total > MAX_LOOKUPS) {
    return `Receivers stop after ${MAX_LOOKUPS} look-ups with a permanent error; this record needs ${total}.`;
  }
  const left = MAX_LOOKUPS - total;
  return `${total} of the ${MAX_LOOKUPS} look-ups that receivers make; ${left === 0 ? 'none is' : `${left} ${left === 1 ? 'is' : 'are'}`} left.`;
}

/** Units of one term lie side by side; a gap parts them from the next term's. */
function units(total: number, costs: readonly number[]): Markup {
  const lasts = new Set<number>();
  costs.reduce((sum, cost) => {
    lasts.add(sum + cost);
    return sum + cost;
  }, 0);
  const drawn = Math.min(Math.max(total, MAX_LOOKUPS), MAX_LOOKUPS + MAX_BEYOND);
  const cells = Array.from({ length: drawn }, (_, index) => {
    const nth = index + 1;
    const use = nth > MAX_LOOKUPS ? 'used over' : nth <= total ? 'used' : 'free';
    return html`<i class="${use}${lasts.has(nth) ? ' last' : ''}"></i>${nth === MAX_LOOKUPS && total > MAX_LOOKUPS ? html`<span class="limit"></span>` : ''}`;
  });
  return html`${cells}${total > drawn ? html`<span class="more">+${total - drawn}</span>` : ''}`;
}
