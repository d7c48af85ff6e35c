/** The findings that differ between the check results before and after a change. */
import type { Severity } from '../../protocol/findings/finding.ts';
import { findingsOf } from '../checks.ts';
import type { CheckResults } from '../results.ts';
import { type CheckName, checkNames } from '../state.ts';

/** A finding by its identity, with its check. */
export interface PlacedFinding {
  readonly check: CheckName;
  readonly id: string;
  readonly subject?: string;
  readonly severity: Severity;
}

export interface Difference {
  readonly resolved: readonly PlacedFinding[];
  readonly introduced: readonly PlacedFinding[];
}

/** Findings are the same if they have the same check, id and subject. */
export function differenceOf(before: CheckResults, after: CheckResults): Difference {
  const [then, now] = [placedFindings(before), placedFindings(after)];
  const missingIn = (others: readonly PlacedFinding[], found: PlacedFinding) =>
    !others.some(
      ({ check, id, subject }) => check === found.check && id === found.id && subject === found.subject,
    );
  return {
    resolved: then.filter((found) => missingIn(now, found)),
    introduced: now.filter((found) => missingIn(then, found)),
  };
}

/** All findings of the checks, those of DKIM selectors included. */
export function placedFindings(results: CheckResults): readonly PlacedFinding[] {
  return checkNames.flatMap((check) =>
    findingsOf(check, results).map(({ id, subject, severity }) => ({
      check,
      id,
      ...(subject === undefined ? {} : { subject }),
      severity,
    })),
  );
}
