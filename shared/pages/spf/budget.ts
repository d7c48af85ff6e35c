/** The DNS lookups as a bar out of ten, and the terms that cause them. */

import { pluralize } from '../../protocol/quantity.ts';
import type { Expansion } from '../../protocol/spf/expansion.ts';
import { MANY_LOOKUPS, MAX_LOOKUPS, MAX_VOID_LOOKUPS } from '../../protocol/spf/limits.ts';
import { html, type Markup, visibleStart } from '../markup.ts';
import { first } from '../room.ts';

/** How many lookups beyond the limit the bar draws; a number shows the rest. */
const MAX_BEYOND = 10;

export function budget(
  { totalLookupCount: total, mechanisms, voidLookupCount, unknown }: Expansion,
  room: number,
): Markup {
  const spending = mechanisms.filter(({ totalLookups }) => totalLookups > 0);
  const tone = total > MAX_LOOKUPS ? 'bad' : total >= MANY_LOOKUPS ? 'warn' : 'good';
  const voids = Math.max(voidLookupCount.ip4, voidLookupCount.ip6);
  return html`<section aria-labelledby="budget">
<h2 id="budget">DNS lookups</h2>
<p>${sentence(total)}${unknown.length > 0 ? ' Terms whose lookup failed may need more.' : ''}</p>
<div class="bar ${tone}" role="img" aria-label="${pluralize(total, 'lookup')} (limit ${MAX_LOOKUPS})">${units(
    total,
    spending.map(({ totalLookups }) => totalLookups),
  )}</div>
${
  spending.length === 0
    ? ''
    : html`<ul class="bill">${first(
        spending,
        room,
        ({ text, totalLookups }) =>
          html`<li><code>${visibleStart(text, 80)}</code><span class="n">${pluralize(totalLookups, 'lookup')}</span></li>`,
      )}</ul>`
}
${voids === 0 ? '' : html`<p class="soft">${pluralize(voids, 'void lookup')} (the name does not exist or has no such record); the limit is ${MAX_VOID_LOOKUPS}.</p>`}
</section>`;
}

function sentence(total: number): string {
  if (total === 0) return 'This record needs no DNS lookups.';
  if (total > MAX_LOOKUPS) {
    return `This record needs ${total} DNS lookups; receivers return permerror after ${MAX_LOOKUPS}.`;
  }
  const left = MAX_LOOKUPS - total;
  return `This record uses ${total} of the ${MAX_LOOKUPS} allowed DNS lookups; ${left === 0 ? 'none' : left} ${left === 1 ? 'is' : 'are'} left.`;
}

/** One cell per lookup, with a gap between the cells of different terms. */
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
