/** What the history of a domain remembers of a run of checks: what differs from the run before. */
import type { CheckName } from '../checks/results.ts';
import { type CheckChange, changesOf, type ShownChange, showChange } from './changes.ts';
import type { CheckFacts, Facts } from './facts.ts';

export interface Difference {
  /** The checks that differ; of the first run, all that found something. */
  readonly changes: readonly ShownChange[];
  /** Whether the score is another one. */
  readonly isOtherScore: boolean;
}

/** Compares a run with the one before it; `scoreBefore` is the score as it was then, by the usage of then. */
export function differenceFrom(
  before: { readonly facts: Facts; readonly scoreBefore: number | null } | undefined,
  after: Facts,
): Difference {
  const earlier = before?.facts ?? { ...after, checks: withNothing(after) };
  const entries = Object.entries(changesOf(earlier, after)) as [CheckName, CheckChange][];
  return {
    changes: entries.map(([name, change]) =>
      showChange(name, change, { before: earlier.checks[name], after: after.checks[name] }),
    ),
    isOtherScore: before === undefined ? after.score !== null : before.scoreBefore !== after.score,
  };
}

function withNothing({ checks }: Facts): Facts['checks'] {
  const nothing: CheckFacts = { state: 'unknown', records: [], faults: [], complete: false };
  return Object.fromEntries(Object.keys(checks).map((name) => [name, nothing])) as unknown as Facts['checks'];
}
