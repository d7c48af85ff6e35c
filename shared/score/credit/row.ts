/** The rows of the tables of partial credit. */
import type { CheckName, CheckResults } from '../../checks/results.ts';

export interface CreditRow {
  readonly id: string;
  readonly when: (results: CheckResults) => boolean;
  /** Of the points at stake, 0 to 1; null where nothing can be said, so that none are at stake. */
  readonly share: number | null | ((results: CheckResults) => number);
  readonly reason: string;
  /** What wins the rest, as an imperative sentence; null where there is nothing to win or nothing known. */
  readonly todo: string | null;
}

/** The condition of the row that ends a table. */
export function always(_results: CheckResults): boolean {
  return true;
}

/** The row for a check that ended without an answer. */
export function unknown(check: CheckName, reason: string): CreditRow {
  return {
    id: 'unknown',
    when: (results) => results[check].state === 'unknown',
    share: null,
    reason,
    todo: null,
  };
}

/** The row for a record that is not there, or not needed in the eyes of its check (credit.ts says why that is one). */
export function absent(check: CheckName, reason: string, todo: string): CreditRow {
  return {
    id: 'absent',
    when: (results) => results[check].state === 'absent' || results[check].state === 'not-applicable',
    share: 0,
    reason,
    todo,
  };
}
