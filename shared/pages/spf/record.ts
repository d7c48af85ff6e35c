/** The record as published, with its terms highlighted by qualifier. */

import { pluralize } from '../../protocol/quantity.ts';
import type { ExpandedTerm, Expansion } from '../../protocol/spf/expansion.ts';
import { copyButton } from '../components/actions.ts';
import { html, type Markup, untrustedText } from '../markup.ts';
import { fitting } from '../room.ts';
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

export function record({ record: text, records, mechanisms }: Expansion, room: number): Markup {
  const { shown, omitted } = fitting(wordsOf(text ?? '', mechanisms), room, (word) => word);
  const looks = new Set(mechanisms.flatMap((term) => classesOf(term).split(' ')));
  return html`<section aria-labelledby="record">
<div class="head"><h2 id="record">${records === undefined ? 'SPF record' : `First of ${records.length} SPF records`}</h2>${omitted === 0 ? copyButton('text', 'record') : ''}</div>
<p id="text" class="record"><code>${shown}</code>${omitted === 0 ? '' : html`<span class="note">… and ${pluralize(omitted, 'more word')}</span>`}</p>
<ul class="legend">${Object.entries(meanings).map(([look, meaning]) =>
    looks.has(look) ? html`<li><span class="t ${look}">${meaning}</span></li>` : '',
  )}</ul>
</section>`;
}

/** Each word of the record in the style of its term; spaces are kept as published. */
function wordsOf(text: string, terms: readonly ExpandedTerm[]): readonly Markup[] {
  let next = 0;
  const [version = '', ...rest] = text.split(' ');
  return [
    html`<span class="t version">${untrustedText(version)}</span>`,
    ...rest.map((word) => {
      if (word === '') return html` `;
      const term = terms[next];
      next += 1;
      return html` <span class="t ${term === undefined ? '' : classesOf(term)}">${untrustedText(word)}</span>`;
    }),
  ];
}
