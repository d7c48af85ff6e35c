/** How much of its lists a page shows: what fits the room in bytes that a page of limited size has for them. */

import { formatNumber } from '../protocol/quantity.ts';
import { html, type Markup } from './markup.ts';

/** A part of a page that takes at most `room` bytes, apart from what is always shown. */
export type Part = (room: number) => Markup;

/** Parts one after another. Each can take twice an equal share of the room that the parts before it left. */
export function inTurn(room: number, parts: readonly Part[]): Markup {
  let left = room;
  return html`${parts.map((part, index) => {
    const markup = part((2 * left) / (parts.length - index + 1));
    left = Math.max(0, left - octetsOf(markup));
    return markup;
  })}`;
}

/** The first entries of a list that fit, and the number of omitted ones. An item gets the room that is left for it. */
export function fitting<Entry>(
  list: readonly Entry[],
  room: number,
  item: (entry: Entry, room: number, index: number) => Markup,
): { readonly shown: readonly Markup[]; readonly omitted: number } {
  const shown: Markup[] = [];
  let left = room;
  for (const [index, entry] of list.entries()) {
    const markup = item(entry, left, index);
    left -= octetsOf(markup);
    if (left < 0) break;
    shown.push(markup);
  }
  return { shown, omitted: list.length - shown.length };
}

/** The same as items of a list element. */
export function first<Entry>(...list: Parameters<typeof fitting<Entry>>): Markup {
  const { shown, omitted } = fitting(...list);
  return html`${shown}${omitted > 0 ? html`<li>${more(omitted)}</li>` : ''}`;
}

/** The number of omitted entries, and where to get them. */
export function more(omitted: number): Markup {
  return html`<span class="note">and ${formatNumber(omitted)} more, available through the API</span>`;
}

const octetsOf = (markup: Markup): number => Buffer.byteLength(String(markup));
