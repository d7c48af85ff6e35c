/** What adds to the score, with what to do about it, and what takes from it. */
import type { ScoreLine } from '../../mail-test/rules.ts';
import { html, type Markup } from '../markup.ts';
import { difference, points } from './text.ts';

/** From this much on a single line makes a message suspicious by itself. */
const GRAVE = 3;

export function breakdown(lines: readonly ScoreLine[], spamScore: number): Markup {
  const wrong = lines.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  const right = lines.filter(({ score }) => score < 0);
  return html`<section aria-labelledby="score">
<h2 id="score">${wrong.length > 0 ? 'What to fix' : 'Nothing to fix'}</h2>
${
  wrong.length === 0
    ? ''
    : html`<ul class="findings">${wrong.map(
        ({ rule, score, explanation, fix }) => html`<li class="${score >= GRAVE ? 'error' : 'warning'}">
<p><strong>${difference(score)}</strong> ${explanation} <span class="cite">${rule}</span></p>
<p class="fix">${fix}</p>
</li>`,
      )}</ul>`
}
${
  right.length === 0
    ? ''
    : html`<ul class="bill">${right.map(
        ({ rule, score, explanation }) =>
          html`<li><span>${explanation} <span class="cite soft">${rule}</span></span><span class="n">${difference(score)}</span></li>`,
      )}</ul>`
}
<p class="total">Score <strong>${points(spamScore)}</strong><span class="soft"> – below 3 ham, from 3 probable spam, from 6 spam, from 10 high spam</span></p>
</section>`;
}
