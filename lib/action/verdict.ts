/** Whether the GitHub Action fails, and why. */
import type { CheckedDomain } from './check.ts';
import type { Inputs } from './inputs.ts';

type Limits = Pick<Inputs, 'failUnder' | 'failOnNewErrors' | 'maxLostMessages'>;

/** The reasons to fail, as sentences. */
export function reasonsToFail(
  { domain, score: { score }, findings, lost }: CheckedDomain,
  { failUnder, failOnNewErrors, maxLostMessages }: Limits,
): readonly string[] {
  const news = findings.filter(({ severity, isNew }) => isNew === true && severity === 'error');
  return [
    ...(failUnder === undefined || (score !== null && score >= failUnder)
      ? []
      : [
          score === null
            ? `${domain} has no score, because lookups failed or it does not exist.`
            : `The score of ${domain} is ${score}, below ${failUnder}.`,
        ]),
    ...(failOnNewErrors && news.length > 0
      ? [`This change adds ${news.length === 1 ? 'an error' : `${news.length} errors`} to ${domain}.`]
      : []),
    ...(lost !== undefined && lost.approved > maxLostMessages
      ? [
          `This change loses ${lost.approved} approved ${lost.approved === 1 ? 'message' : 'messages'} of ${domain}.`,
        ]
      : []),
  ];
}
