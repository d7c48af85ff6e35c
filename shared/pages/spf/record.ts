/** The record as published, with its terms highlighted by qualifier. */

import { number } from '../../protocol/quantity.ts';
import type { ExpandedTerm, Expansion } from '../../protocol/spf/expansion.ts';
import { html, type Markup, visible } from '../markup.ts';
import { copyButton } from './actions.ts';
import { classesOf } from './term.ts';

const meanings = {
  pass: '+ or no qualifier: pass (authorized)',
  fail: '− fail (not authorized)',
  softfail: '~ softfail (probably not authorized)',
  neutral: '? neutral (no assertion)',
  modifier: 'modifier',
  broken: 'syntax error',
  ignored: 'never evaluated',
} as const;

/** A list entry with its markup is at least as large as this many characters of a record. */
const CHARACTERS_PER_ENTRY = 250;

export function record({ record: text, records, mechanisms }: Expansion, entries: number): Markup {
  const shown = (text ?? '').slice(0, entries * CHARACTERS_PER_ENTRY);
  const left = (text ?? '').length - shown.length;
  const looks = new Set(mechanisms.flatMap((term) => classesOf(term).split(' ')));
  return html`<section aria-labelledby="record">
<div class="head"><h2 id="record">${records === undefined ? 'SPF record' : `First of ${records.length} SPF records`}</h2>${left === 0 ? copyButton('text', 'record') : ''}</div>
<p id="text" class="record"><code>${words(shown, mechanisms)}</code>${left === 0 ? '' : html`<span class="note">… and ${number(left)} more characters</span>`}</p>
<ul class="legend">${Object.entries(meanings).map(([look, meaning]) =>
    looks.has(look) ? html`<li><span class="t ${look}">${meaning}</span></li>` : '',
  )}</ul>
</section>`;
}

/** Each word of the record in the style of its term; spaces are kept as published. */
function words(text: string, terms: readonly ExpandedTerm[]): Markup {
  let next = 0;
  const [version = '', ...rest] = text.split(' ');
  return html`<span class="t version">${visible(version)}</span>${rest.map((word) => {
    if (word === '') return ' ';
    const term = terms[next];
    next += 1;
    return html` <span class="t ${term === undefined ? '' : classesOf(term)}">${visible(word)}</span>`;
  })}`;
}
