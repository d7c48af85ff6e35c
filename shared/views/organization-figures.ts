/** What the directory of an organization says about all of its domains. */
import type { DirectoryRow } from '../store/domains/directory-rows.ts';
import type { DomainCounts } from '../store/domains/domain-counts.ts';
import { changeOf, comparedFrom, type ListedPolicy, listedPolicies } from '../store/domains/listed.ts';
import { countRows, mailOfRow, scoreOfRow } from '../store/domains/select-rows.ts';
import { summedWindow } from '../store/reports/domain-sums.ts';

export interface OrganizationFigures extends DomainCounts {
  readonly byPolicy: Readonly<Record<ListedPolicy | 'unknown', number>>;
  /** Domains without messages in DMARC reports of the last 30 days. */
  readonly withoutReports: number;
  /** Of the domains with such reports; `last` is the last day with messages. */
  readonly mail: { readonly messages: number; readonly passed: number; readonly last: string | null };
}

export function figuresOf(rows: readonly DirectoryRow[], now: Date): OrganizationFigures {
  const window = summedWindow(now);
  const byPolicy = { unknown: 0, 'no-policy': 0, none: 0, quarantine: 0, reject: 0 };
  const mail = { messages: 0, passed: 0, last: '' };
  let withoutReports = 0;
  for (const row of rows) {
    byPolicy[row.policy ?? 'unknown'] += 1;
    const of = mailOfRow(row, window);
    if (of === null) withoutReports += 1;
    else {
      mail.messages += of.messages;
      mail.passed += of.passed;
      if (of.last > mail.last) mail.last = of.last;
    }
  }
  return {
    ...countRows(rows),
    ...{ byPolicy, withoutReports },
    mail: { ...mail, last: mail.last === '' ? null : mail.last },
  };
}

/** The strongest first. */
export const shownPolicies = [...listedPolicies.toReversed(), 'unknown'] as const;

export interface ScoreMove {
  readonly id: string;
  readonly domain: string;
  readonly score: number;
  /** By how much the score rose; negative if it fell. */
  readonly change: number;
}

export interface ScoreMoves {
  /** Those that fell most, and those that rose most. */
  readonly fell: readonly ScoreMove[];
  readonly rose: readonly ScoreMove[];
  readonly fellCount: number;
  readonly roseCount: number;
}

/** The domains whose scores changed in the last seven days. @param most How many are named of each direction. */
export function movesOf(rows: readonly DirectoryRow[], most: number, now: Date): ScoreMoves {
  const from = comparedFrom(now);
  const moved = rows.flatMap((row) => {
    const score = row.week.length === 0 ? null : scoreOfRow(row);
    const change = changeOf(row.week, score, from);
    return score === null || change === null || change === 0
      ? []
      : [{ id: row.id, domain: row.domain, score, change }];
  });
  const byChange = moved.toSorted((a, b) => a.change - b.change || (a.domain < b.domain ? -1 : 1));
  const fell = byChange.filter(({ change }) => change < 0);
  const rose = byChange.filter(({ change }) => change > 0).toReversed();
  return {
    ...{ fell: fell.slice(0, most), rose: rose.slice(0, most) },
    ...{ fellCount: fell.length, roseCount: rose.length },
  };
}
