/** The record as published, its terms told apart by qualifier. */
import type { Expansion } from '../../protocol/spf/expand.ts';
import type { ExpandedTerm } from '../../protocol/spf/tree.ts';
import { html, type Markup, number, visible } from '../markup.ts';
import { copyButton } from './actions.ts';
import { looksOf } from './term.ts';

const meanings = {
  pass: '+ or no sign: pass, may send',
  fail: '− fail, may not',
  softfail: '~ softfail, probably may not',
  neutral: '? neutral, nothing said',
  modifier: 'modifier',
  broken: 'cannot be read',
  ignored: 'never evaluated',
} as const;

/** An entry of a list weighs at least as much as this part of a record, its markup with it. */
const CHARACTERS_PER_ENTRY = 250;

export function record({ record: text, mechanisms, findings, domain }: Expansion, entries: number): Markup {
  const several = findings.find(({ id, subject }) => id === 'spf-multiple-records' && subject === domain);
  const shown = (text ?? '').slice(0, entries * CHARACTERS_PER_ENTRY);
  const left = (text ?? '').length - shown.length;
  const looks = new Set(mechanisms.flatMap((term) => looksOf(term).split(' ')));
  return html`<section aria-labelledby="record">
<div class="head"><h2 id="record">${several === undefined ? 'The record' : `The first of ${several.arguments.count} records`}</h2>${left === 0 ? copyButton('text', 'record') : ''}</div>
<p id="text" class="record"><code>${words(shown, mechanisms)}</code>${left === 0 ? '' : html`<span class="note">… and ${number(left)} more characters</span>`}</p>
<ul class="legend">${Object.entries(meanings).map(([look, meaning]) =>
    looks.has(look) ? html`<li><span class="t ${look}">${meaning}</span></li>` : '',
  )}</ul>
</section>`;
}

/** Each word of the record in the looks of its term; spaces stand as published. */
function words(text: string, terms: readonly ExpandedTerm[]): Markup {
  let next = 0;
  const [version = '', ...rest] = text.split(' ');
  return html`<span class="t version">${visible(version)}</span>${rest.map((word) => {
    if (word === '') return ' ';
    const term = terms[next];
    next += 1;
    return html` <span class="t ${term === undefined ? '' : looksOf(term)}">${visible(word)}</span>`;
  })}`;
}
