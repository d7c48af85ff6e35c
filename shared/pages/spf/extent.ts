/** How much of a result a page shows: everything if it fits, and never so much that the page loads slowly. */

import { number } from '../../protocol/quantity.ts';
import { html, type Markup } from '../markup.ts';

/** The maximum size of a page in bytes: small enough to load quickly on a phone. */
const MAX_OCTETS = 40_000;

/** Candidate limits for the entries of each list, from everything to the first two. */
const EXTENTS = [Number.POSITIVE_INFINITY, 120, 80, 50, 35, 25, 18, 14, 11, 8, 6, 4, 3, 2];

/** The page with the most entries per list that stays under the maximum size in bytes. */
export function fitting(page: (entries: number) => string, most = MAX_OCTETS): string {
  let text = '';
  for (const entries of EXTENTS) {
    text = page(entries);
    if (Buffer.byteLength(text) < most) break;
  }
  return text;
}

/** The first entries of a list, and the number of omitted ones. */
export function first<Entry>(
  list: readonly Entry[],
  entries: number,
  item: (entry: Entry) => Markup,
): Markup {
  const left = list.length - entries;
  return html`${list.slice(0, entries).map(item)}${left > 0 ? html`<li>${more(left)}</li>` : ''}`;
}

/** The number of omitted entries, and where to get them. */
export function more(left: number): Markup {
  return html`<span class="note">and ${number(left)} more, available through the API</span>`;
}
