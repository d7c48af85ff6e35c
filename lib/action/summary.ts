/** The job summary: Markdown about the checked domains. */
import { checkTitles } from '../../shared/checks/checks.ts';
import { visible } from '../terminal/text.ts';
import type { CheckedDomain } from './check.ts';

/** Text of strangers, such as a DNS record, as Markdown that is neither a link, a table nor HTML. */
const plain = (text: string): string =>
  visible(text).replaceAll(/[\\`*_{}[\]<>()#+!|~&@:-]/g, (character) => `&#${character.codePointAt(0)};`);

const severities = { error: 'Error', warning: 'Warning', notice: 'Note' } as const;

export function summaryOf(checked: readonly CheckedDomain[], reasons: readonly string[]): string {
  return [
    '# Email domain security',
    ...reasons.map((reason) => `**${plain(reason)}**`),
    ...checked.flatMap(domainSummary),
    '',
  ].join('\n\n');
}

function domainSummary({ domain, score, scoreBefore, findings, lost }: CheckedDomain): readonly string[] {
  const shown = findings
    .filter(({ severity, isNew }) => isNew === true || severity !== 'notice')
    .map(({ severity, isNew, check, message, cites, fix }) =>
      [
        `${severities[severity]}${isNew ? ' (new)' : ''}`,
        checkTitles[check],
        `${plain(message)} (${plain(cites)})`,
        plain(fix),
      ].join(' | '),
    );
  const before = scoreBefore === undefined ? '' : `, before the change ${scoreBefore ?? 'none'}`;
  return [
    `## ${plain(domain)}`,
    `Score: ${score.score ?? 'none'}${score.grade === null ? '' : ` (${score.grade})`}${before}`,
    ...(lost === undefined
      ? []
      : [
          `Reports from ${lost.startDate} to ${lost.endDate}: the change loses ${lost.approved} messages of approved senders, and asks receivers to quarantine or reject ${lost.all} more messages.`,
        ]),
    ...(shown.length === 0
      ? ['No errors or warnings.']
      : [
          [
            '| Severity | Check | Finding | Fix |',
            '| --- | --- | --- | --- |',
            ...shown.map((row) => `| ${row} |`),
          ].join('\n'),
        ]),
  ];
}
