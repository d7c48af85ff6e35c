/** Rows of the partial credit tables. */

import type { CheckResults } from '../../checks/results.ts';
import type { CheckName } from '../../checks/state.ts';

export interface CreditRow {
  readonly id: string;
  readonly when: (results: CheckResults) => boolean;
  /** The share of the points, 0 to 1; null if unknown, so that the points are left out of the score. */
  readonly fraction: number | null | ((results: CheckResults) => number);
  readonly reason: string;
  /** What to do to earn the rest, in the imperative; absent if there is nothing to earn or nothing is known. */
  readonly todo?: string;
}

/** The condition of the last row of a table. */
export function always(_results: CheckResults): boolean {
  return true;
}

/** The row for a check whose state is unknown. */
export function unknown(check: CheckName, reason: string): CreditRow {
  return {
    id: 'unknown',
    when: (results) => results[check].state === 'unknown',
    fraction: null,
    reason,
  };
}

/** The row for a record that is absent or not applicable (credit.ts explains why both earn the same). */
export function absent(check: CheckName, reason: string, todo: string): CreditRow {
  return {
    id: 'absent',
    when: (results) => results[check].state === 'absent' || results[check].state === 'not-applicable',
    fraction: 0,
    reason,
    todo,
  };
}
