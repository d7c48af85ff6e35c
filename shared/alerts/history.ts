/** The history entry of a check run: its differences from the previous run. */
import { forEachCheck } from '../checks/checks.ts';
import type { CheckName } from '../checks/state.ts';
import { type CheckChange, changesOf, showChange } from './changes.ts';
import { type CheckRunFacts, nothingKnown } from './facts.ts';
import type { ShownChange } from './shown-change.ts';

interface RunDifference {
  /** The checks that differ; for the first run, all checks that found something. */
  readonly changes: readonly ShownChange[];
  /** Whether the score changed. */
  readonly scoreChanged: boolean;
}

/** Compares a run with the previous one; `scoreBefore` is the score at that time, for the usage type at that time. */
export function differenceFrom(
  before: { readonly facts: CheckRunFacts; readonly scoreBefore: number | null } | undefined,
  after: CheckRunFacts,
): RunDifference {
  const earlier = before?.facts ?? { ...after, checks: noChecks };
  const entries = Object.entries(changesOf(earlier, after)) as [CheckName, CheckChange][];
  return {
    changes: entries.map(([name, change]) =>
      showChange(name, change, { before: earlier.checks[name], after: after.checks[name] }),
    ),
    scoreChanged: before === undefined ? after.score !== null : before.scoreBefore !== after.score,
  };
}

/** The facts before the first run. */
const noChecks: CheckRunFacts['checks'] = forEachCheck(() => nothingKnown);
