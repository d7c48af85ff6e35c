/** The grade of a domain, as the first thing that a page says about it. */
import type { Grade } from '../../score/grade.ts';
import { NO_SUCH_DOMAIN } from '../../score/score.ts';
import type { Score } from '../../score/shapes.ts';
import type { Checked } from '../../views/domain/checked.ts';
import { eventTime, html, type Markup } from '../markup.ts';

const tones: Readonly<Record<Grade, string>> = { A: '', B: '', C: 'warn', D: 'warn', F: 'bad' };

/** @param actions What the visitor can do next. */
export function gradeSection({ checkedAt, score }: Omit<Checked, 'results'>, actions: Markup): Markup {
  const { score: points, grade, label, exists } = score;
  return html`<section class="verdict ${grade === null ? 'unknown' : tones[grade]}" aria-labelledby="grade"><h2 id="grade" class="word">${gradeInWords(score)}</h2>
<p>${points === null ? (exists ? (score.message ?? label) : (score.message ?? '').replace(`${NO_SUCH_DOMAIN} `, '')) : html`<strong>${points}</strong> of 100 points.`} Checked ${eventTime(checkedAt)}.</p>
${grade !== null && score.confidence < 1 ? html`<p>Some lookups failed. The grade counts only what is known.</p>` : ''}
${actions}</section>`;
}

/** `Grade B: good`. */
const gradeInWords = ({ grade, label, exists }: Score): string =>
  grade === null ? (exists ? 'No grade' : NO_SUCH_DOMAIN.replace('.', '')) : `Grade ${grade}: ${label}`;
