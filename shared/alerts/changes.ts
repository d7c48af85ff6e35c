/**
 * The differences between two check runs of a domain. Records and faults are compared by identity, never by wording,
 * and a failed lookup is never a difference.
 */

import { forEachCheck } from '../checks/checks.ts';
import { isInEffect } from '../checks/outcome.ts';
import type { CheckName } from '../checks/state.ts';
import { saysHowItEnded } from '../protocol/findings/catalogue.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { type Finding, isSame } from '../protocol/findings/finding.ts';
import { type CheckFacts, type CheckRunFacts, nothingKnown } from './facts.ts';
import type { ShownChange } from './shown-change.ts';
import { type Weakening, weakeningOf } from './weakening.ts';

/** The difference of one check. */
export interface CheckChange {
  readonly recordsAdded: readonly string[];
  readonly recordsRemoved: readonly string[];
  readonly faultsAdded: readonly Finding[];
  readonly faultsRemoved: readonly Finding[];
}

type CheckChanges = Readonly<Partial<Record<CheckName, CheckChange>>>;

/** The maximum number of items per list and of characters per record. */
const MAX_ITEMS = 20;
const MAX_RECORD = 300;

/** A check before and after a change. */
export interface Transition {
  readonly before: Pick<CheckFacts, 'state' | 'records' | 'context'>;
  readonly after: Pick<CheckFacts, 'state' | 'unconfirmed'>;
}

export function showChange(check: CheckName, change: CheckChange, transition: Transition): ShownChange {
  const { recordsAdded, recordsRemoved, faultsAdded } = change;
  const solved = solvedFaults(check, change, transition);
  const records = (found: readonly string[]) =>
    found.slice(0, MAX_ITEMS).map((record) => excerpt(record, MAX_RECORD));
  const faults = (found: readonly Finding[]) => found.slice(0, MAX_ITEMS);
  return {
    check,
    previousState: transition.before.state,
    newState: transition.after.state,
    recordsAdded: records(recordsAdded),
    recordsRemoved: records(recordsRemoved),
    findingsAdded: faults(faultsAdded),
    findingsRemoved: faults(solved),
    omitted: [recordsAdded, recordsRemoved, faultsAdded, solved].reduce(
      (sum, list) => sum + Math.max(0, list.length - MAX_ITEMS),
      0,
    ),
  };
}

/**
 * The faults that were resolved. A check that now fails, or has nothing left to check, no longer detects earlier
 * faults, so they do not count as resolved: for example, with two DMARC records there is no finding about p=none. Nor do
 * those that vanish with a policy that is weakened. A fault whose rule says how it ended does count.
 */
export function solvedFaults(
  check: CheckName,
  change: CheckChange,
  transition: Transition,
): readonly Finding[] {
  const { faultsAdded, faultsRemoved } = change;
  const { before, after } = transition;
  if (weakeningBy(check, change, transition) !== undefined) return [];
  const isJudged = isInEffect(after) || (after.state === 'fail' && before.state === 'fail');
  const isClear = isJudged && !faultsAdded.some(({ severity }) => severity === 'error');
  return faultsRemoved.filter((fault) => isClear || saysHowItEnded(fault));
}

/** What the change weakens, compared with the records before. */
export function weakeningBy(
  check: CheckName,
  { recordsAdded, recordsRemoved }: CheckChange,
  { before }: Transition,
): Weakening | undefined {
  const known = [...before.records, ...(before.context ?? [])];
  const after = [...known.filter((record) => !recordsRemoved.includes(record)), ...recordsAdded];
  return weakeningOf(check, { before: known, after, stateBefore: before.state });
}

/** The changes of each check that differs. */
export function changesOf(before: CheckRunFacts, after: CheckRunFacts): CheckChanges {
  const names = Object.keys(after.checks) as CheckName[];
  return withoutEmpty(names.map((name) => [name, changeOf(name, before.checks[name], after.checks[name])]));
}

/** The changes that occur in both of two comparisons with the same baseline. */
export function commonChanges(some: CheckChanges, others: CheckChanges): CheckChanges {
  const names = Object.keys(some) as CheckName[];
  return withoutEmpty(
    names.map((name) => {
      const [one, other] = [some[name] ?? nothing, others[name] ?? nothing];
      return [
        name,
        {
          recordsAdded: one.recordsAdded.filter((record) => other.recordsAdded.includes(record)),
          recordsRemoved: one.recordsRemoved.filter((record) => other.recordsRemoved.includes(record)),
          faultsAdded: one.faultsAdded.filter((fault) => has(other.faultsAdded, fault)),
          faultsRemoved: one.faultsRemoved.filter((fault) => has(other.faultsRemoved, fault)),
        },
      ];
    }),
  );
}

/** The facts with changes applied; each changed check takes its state from `after`. */
export function withChanges(
  before: CheckRunFacts['checks'],
  changes: CheckChanges,
  after: CheckRunFacts,
): CheckRunFacts['checks'] {
  const changed = (Object.entries(changes) as [CheckName, CheckChange][]).map(([name, change]) => {
    const { records, context, faults } = before[name];
    const next = after.checks[name];
    const isContext = (record: string) => next.context?.includes(record) === true;
    const kept = (known: readonly string[]) => known.filter((text) => !change.recordsRemoved.includes(text));
    return [
      name,
      {
        ...next,
        records: [...kept(records), ...change.recordsAdded.filter((record) => !isContext(record))].toSorted(),
        ...(context === undefined
          ? {}
          : { context: [...kept(context), ...change.recordsAdded.filter(isContext)] }),
        faults: [...faults.filter((fault) => !has(change.faultsRemoved, fault)), ...change.faultsAdded],
      },
    ];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

const nothing: CheckChange = { recordsAdded: [], recordsRemoved: [], faultsAdded: [], faultsRemoved: [] };

function changeOf(name: CheckName, before: CheckFacts, after: CheckFacts): CheckChange {
  const [contextBefore, contextAfter] =
    before.context === undefined || after.context === undefined ? [[], []] : [before.context, after.context];
  return {
    recordsAdded: [
      ...after.records.filter((record) => !before.records.includes(record)),
      ...contextAfter.filter((text) => !contextBefore.includes(text)),
    ],
    recordsRemoved: [
      ...before.records.filter(
        (record) => !after.records.includes(record) && isAnswered(name, record, after),
      ),
      ...contextBefore.filter((text) => !contextAfter.includes(text)),
    ],
    faultsAdded: after.faults.filter((fault) => !has(before.faults, fault)),
    faultsRemoved: after.complete ? before.faults.filter((fault) => !has(after.faults, fault)) : [],
  };
}

/** Whether the lookup that once returned `record` succeeded this time, with another record or none. */
function isAnswered(name: CheckName, record: string, after: CheckFacts): boolean {
  if (after.complete) return true;
  if (name !== 'dkim') return after.records.length > 0;
  const selector = record.slice(0, record.indexOf(':') + 1);
  return after.records.some((other) => other.startsWith(selector));
}

const has = (faults: readonly Finding[], finding: Finding): boolean =>
  faults.some((fault) => isSame(fault, finding));

function withoutEmpty(changes: readonly (readonly [CheckName, CheckChange])[]): CheckChanges {
  return Object.fromEntries(
    changes.filter(([, change]) => Object.values(change).some((list) => list.length > 0)),
  );
}

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
