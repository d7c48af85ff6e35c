/** How much of a result a page shows: whole where that fits, and never a page that is slow to load. */
import { html, type Markup, number } from '../markup.ts';

/** The weight of a page, in octets: what a phone loads without being waited for. */
const MAX_OCTETS = 40_000;

/** How many entries each list may show, from a page with everything to one with the beginnings only. */
const EXTENTS = [Number.POSITIVE_INFINITY, 120, 80, 50, 35, 25, 18, 14, 11, 8, 6, 4, 3, 2];

/** The page with the most entries per list that stays under the weight. */
export function fitting(page: (entries: number) => string): string {
  let text = '';
  for (const entries of EXTENTS) {
    text = page(entries);
    if (Buffer.byteLength(text) < MAX_OCTETS) break;
  }
  return text;
}

/** The first entries of a list, and how many are left out. */
export function first<Entry>(
  list: readonly Entry[],
  entries: number,
  item: (entry: Entry) => Markup,
): Markup {
  const left = list.length - entries;
  return html`${list.slice(0, entries).map(item)}${left > 0 ? html`<li>${more(left)}</li>` : ''}`;
}

/** What is left out, and where it can be had. */
export function more(left: number): Markup {
  return html`<span class="note">and ${number(left)} more, which the API lists</span>`;
}
