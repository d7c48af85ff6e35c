/** The score breakdown: the rules that raise the spam score, with fixes, and the rules that lower it. */
import type { ScoreLine } from '../../mail-test/rules.ts';
import { html, type Markup } from '../markup.ts';
import { difference, points } from './text.ts';

/** A rule with at least this score is shown as an error: it alone makes the message probable spam. */
const GRAVE = 3;

export function breakdown(lines: readonly ScoreLine[], spamScore: number): Markup {
  const wrong = lines.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  const right = lines.filter(({ score }) => score < 0);
  return html`<section aria-labelledby="score">
<h2 id="score">${wrong.length > 0 ? 'What to fix' : 'Spam score'}</h2>
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
<p class="total">Score <strong>${points(spamScore)}</strong><span class="soft"> – below 3: not spam; 3 to 5.9: probable spam; 6 to 9.9: spam; 10 or more: high-confidence spam</span></p>
</section>`;
}
