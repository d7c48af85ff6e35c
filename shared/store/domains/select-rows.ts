/** Filters and orders of domains. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import type { Grade } from '../../score/grade.ts';
import type { DirectoryRow } from './directory-rows.ts';
import type { DomainCounts } from './domain-counts.ts';

export const domainOrders = ['createdAt', '-createdAt', 'domain', '-domain', 'grade', '-grade'] as const;

export interface DomainFilter {
  readonly tag?: string | undefined;
  readonly usageType?: UsageType | undefined;
  readonly verified?: boolean | undefined;
  readonly grade?: Grade | undefined;
  /** Part of the name, in lower case. */
  readonly q?: string | undefined;
  /** With a hyphen, in descending order. */
  readonly sort: (typeof domainOrders)[number];
}

/** The grade of a domain for its present usage type. */
const gradeOfRow = ({ grades, usageType }: DirectoryRow): Grade | null =>
  grades[usageTypes.indexOf(usageType)] ?? null;

/** The rows that match the filter, in its order; `rows` are in the order of registration. */
export function selectRows(rows: readonly DirectoryRow[], filter: DomainFilter): DirectoryRow[] {
  const { tag, usageType, verified, grade, q, sort } = filter;
  const found = rows.filter(
    (row) =>
      (tag === undefined || row.tags.includes(tag)) &&
      (usageType === undefined || row.usageType === usageType) &&
      (verified === undefined || row.verified === verified) &&
      (grade === undefined || gradeOfRow(row) === grade) &&
      (q === undefined || row.domain.includes(q)),
  );
  if (sort === 'createdAt') return found;
  if (sort === '-createdAt') return found.toReversed();
  const ascending = found.sort(sort.endsWith('domain') ? byName : byGrade);
  return sort.startsWith('-') ? ascending.toReversed() : ascending;
}

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

/** The best grade first, and domains without a grade last. */
const byGrade = (a: DirectoryRow, b: DirectoryRow): number => {
  const [left, right] = [gradeOfRow(a) ?? 'Z', gradeOfRow(b) ?? 'Z'];
  return left === right ? byName(a, b) : left < right ? -1 : 1;
};
