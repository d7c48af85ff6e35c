/** The end of the output of `npm run inspect --with`: what a proposed change does to a domain. */
import { findingsOf } from '../../shared/checks/checks.ts';
import type { Difference, PlacedFinding } from '../../shared/checks/preview/difference.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import { describeFor } from '../../shared/protocol/findings/catalogue.ts';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { LONGEST_SENTENCE, NARROWEST, type ReportStyle, WIDEST } from './report.ts';
import { painter, shorten, visible, wrap } from './text.ts';

interface RenderedChange extends Difference {
  readonly domain: string;
  readonly before: CheckResults;
  readonly after: CheckResults;
  readonly scoreBefore: number | null;
  readonly score: number | null;
}

/** Renders the change as text that begins with an empty line and ends in a newline. */
export function renderChange(change: RenderedChange, { colour, width }: ReportStyle): string {
  const { domain, before, after, scoreBefore, score, resolved, introduced } = visible(change);
  const columns = Math.min(Math.max(width, NARROWEST), WIDEST);
  const paint = painter(colour);
  const points = (value: number | null) => (value === null ? 'no score' : String(value));
  const messageOf = ({ check, id, subject }: PlacedFinding, results: CheckResults) => {
    const found = findingsOf(check, results).find((one) => one.id === id && one.subject === subject);
    return found === undefined ? id : describeFor({ domain })(found).message;
  };
  const lines = (mark: string, list: readonly PlacedFinding[], results: CheckResults) =>
    list.flatMap((found) =>
      wrap(
        `${mark} ${found.id}: ${shorten(messageOf(found, results), LONGEST_SENTENCE)}`,
        columns,
        '    ',
      ).map((line, at) => (at === 0 ? `  ${line.trimStart()}` : line)),
    );
  return `${[
    '',
    `${paint('bold', 'Change')}  score ${points(scoreBefore)} -> ${points(score)}, ${pluralize(resolved.length, 'finding')} resolved, ${introduced.length} introduced`,
    ...lines('-', resolved, before),
    ...lines('+', introduced, after),
  ].join('\n')}\n`;
}
