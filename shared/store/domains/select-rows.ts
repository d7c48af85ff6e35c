/** Filters and orders of domains. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import type { Grade } from '../../score/grade.ts';
import { gradeOf } from '../../score/score.ts';
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

/** The score of a domain for its present usage type. */
const scoreOfRow = ({ scores, usageType }: DirectoryRow): number | null =>
  scores[usageTypes.indexOf(usageType)] ?? null;

const gradeOfRow = (row: DirectoryRow): Grade | null => {
  const score = scoreOfRow(row);
  return score === null ? null : gradeOf(score).grade;
};

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
  if (sort === 'domain') return found.sort(byName);
  if (sort === '-domain') return found.sort((a, b) => byName(b, a));
  return found.sort(byScore(sort === 'grade' ? -1 : 1));
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

/** By score, and domains without one last in either direction, which is 1 for the lowest score first. */
const byScore =
  (direction: 1 | -1) =>
  (a: DirectoryRow, b: DirectoryRow): number => {
    const [left, right] = [scoreOfRow(a), scoreOfRow(b)];
    if (left === right) return byName(a, b);
    if (left === null) return 1;
    return right === null ? -1 : direction * (left - right);
  };
