/** Filters and orders of domains. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import { listedStatus } from '../../compliance/listed.ts';
import type { ComplianceStatus } from '../../compliance/shapes.ts';
import type { Grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
import { summedWindow } from '../reports/domain-sums.ts';
import type { DirectoryRow, SummedMail } from './directory-rows.ts';
import type { DomainCounts } from './domain-counts.ts';
import { changeOf, comparedFrom, type ListedPolicy, listedPolicies } from './listed.ts';

export const domainOrders = ['createdAt', '-createdAt', 'domain', '-domain', 'grade', '-grade'] as const;

/** Orders that only pages have: with a hyphen, in descending order. */
export const listOrders = [
  ...domainOrders,
  ...(['change', '-change', 'policy', '-policy'] as const),
  ...(['passing', '-passing', 'messages', '-messages'] as const),
] as const;

export interface DomainFilter {
  readonly tag?: string | undefined;
  readonly usageType?: UsageType | undefined;
  readonly verified?: boolean | undefined;
  readonly grade?: Grade | undefined;
  /** Part of the name, in lower case. */
  readonly q?: string | undefined;
  /** With a hyphen, in descending order. */
  readonly sort: (typeof listOrders)[number];
  /** Only domains with this policy, or those whose policy is not known. */
  readonly policy?: ListedPolicy | 'unknown' | undefined;
  /** Only domains with messages in DMARC reports of the last 30 days, or those without. */
  readonly reports?: boolean | undefined;
  /** Only domains with this status for a compliance profile. */
  readonly compliance?: ComplianceFilter | undefined;
}

export interface ComplianceFilter {
  /** Its ID. */
  readonly profile: string;
  readonly status: ComplianceStatus;
}

/** The score of a domain for its present usage type. */
export const scoreOfRow = ({ scores, usageType }: DirectoryRow): number | null =>
  scores[usageTypes.indexOf(usageType)] ?? null;

export const gradeOfRow = (row: DirectoryRow): Grade | null => {
  const score = scoreOfRow(row);
  return score === null ? null : gradeOf(score).grade;
};

/** As the latest check run stored it. @param profile The ID of a profile. */
export const complianceOfRow = ({ compliance, usageType }: DirectoryRow, profile: string): ComplianceStatus =>
  listedStatus(compliance, profile, usageType);

/** The rows that match the filter, in its order; `rows` are in the order of registration. */
export function selectRows(
  rows: readonly DirectoryRow[],
  filter: DomainFilter,
  now = new Date(),
): DirectoryRow[] {
  const { tag, usageType, verified, grade, q, sort, policy, reports, compliance } = filter;
  const found = rows.filter(
    (row) =>
      (tag === undefined || row.tags.includes(tag)) &&
      (usageType === undefined || row.usageType === usageType) &&
      (verified === undefined || row.verified === verified) &&
      (grade === undefined || gradeOfRow(row) === grade) &&
      (q === undefined || row.domain.includes(q)) &&
      (policy === undefined || (row.policy ?? 'unknown') === policy) &&
      (reports === undefined || (mailOfRow(row, summedWindow(now)) !== null) === reports) &&
      (compliance === undefined || complianceOfRow(row, compliance.profile) === compliance.status),
  );
  if (sort === 'createdAt') return found;
  if (sort === '-createdAt') return found.toReversed();
  if (sort === 'domain') return found.sort(byName);
  if (sort === '-domain') return found.sort((a, b) => byName(b, a));
  const isReversed = sort.startsWith('-');
  const key = isReversed ? sort.slice(1) : sort;
  // The order named `grade` begins with the best grade.
  return byValue(found, valueBy(key, now), isReversed === (key === 'grade') ? 1 : -1);
}

/** What an order compares. */
function valueBy(key: string, now: Date): (row: DirectoryRow) => number | null {
  const window = summedWindow(now);
  const compared = comparedFrom(now);
  switch (key) {
    case 'change':
      return (row) => changeOf(row.week, scoreOfRow(row), compared);
    case 'policy':
      return ({ policy }) => (policy === null ? null : listedPolicies.indexOf(policy));
    case 'messages':
      return (row) => mailOfRow(row, window)?.messages ?? null;
    case 'passing':
      return (row) => {
        const mail = mailOfRow(row, window);
        return mail === null || mail.messages === 0 ? null : mail.passed / mail.messages;
      };
    default:
      return scoreOfRow;
  }
}

/** The mail of a domain, if there was any in the window. */
export const mailOfRow = (
  { mail }: DirectoryRow,
  { from }: Pick<ReturnType<typeof summedWindow>, 'from'>,
): SummedMail | null => (mail !== null && mail.last >= from ? mail : null);

/** How many rows there are, by the grade for their present usage type. */
export function countRows(rows: readonly DirectoryRow[]): DomainCounts {
  const byGrade = { A: 0, B: 0, C: 0, D: 0, F: 0 };
  let withoutGrade = 0;
  for (const row of rows) {
    const grade = gradeOfRow(row);
    if (grade === null) withoutGrade += 1;
    else byGrade[grade] += 1;
  }
  const verified = rows.filter((row) => row.verified).length;
  return { total: rows.length, verified, byGrade, withoutGrade };
}

const byName = (a: DirectoryRow, b: DirectoryRow): number => (a.domain < b.domain ? -1 : 1);

/** By a value, and domains without one last in either direction; by name those with the same one. */
function byValue(
  rows: readonly DirectoryRow[],
  compared: (row: DirectoryRow) => number | null,
  direction: 1 | -1,
): DirectoryRow[] {
  const last = direction * Number.POSITIVE_INFINITY;
  const valued = rows.map((row) => ({ row, value: compared(row) ?? last }));
  return valued
    .sort(({ row: a, value: left }, { row: b, value: right }) =>
      left === right ? byName(a, b) : direction * (left - right),
    )
    .map(({ row }) => row);
}
