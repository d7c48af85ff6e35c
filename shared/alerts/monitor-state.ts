/**
 * Change detection for a domain. Each check run is compared with the baseline: the facts that the owner was last
 * alerted about. A change raises alerts only after a second check run confirms it, so a change that disappears within
 * a minute raises none, each change is alerted once, and a failed lookup is not a change.
 */

import { isDeepStrictEqual } from 'node:util';
import { forEachCheck } from '../checks/checks.ts';
import type { CheckName } from '../checks/state.ts';
import type { AlertDraft } from './alert.ts';
import { type CheckChange, type CheckChanges, changesOf, commonChanges, withChanges } from './changes.ts';
import { dnsChange } from './dns-alerts.ts';
import { type CheckFacts, type CheckRunFacts, nothingKnown } from './facts.ts';
import { scoreChange, scoreThreshold } from './score-alerts.ts';

/** What is stored about a domain between check runs. */
export interface MonitorState {
  /** What the owner knows: the facts of the first check run, and every change alerted since. */
  readonly baseline: CheckRunFacts;
  /** Whether the baseline score is below the threshold. */
  readonly isBelowThreshold: boolean;
  /** A change: a check run that differs from the baseline and that no second run has confirmed yet. */
  readonly pending?: {
    readonly facts: CheckRunFacts;
    /** ISO time of that check run. */
    readonly at: string;
    /** How many consecutive check runs differed from the baseline. */
    readonly runs: number;
  };
}

export interface MonitorContext {
  readonly domain: string;
  readonly now: Date;
  /** A score below this raises an alert. */
  readonly threshold: number;
  /** The delay of the confirmation run. A run earlier than half of it confirms nothing. */
  readonly confirmAfterMilliseconds: number;
}

export interface MonitorStep {
  readonly state: MonitorState;
  readonly alerts: readonly AlertDraft[];
  /** Whether the caller must schedule a confirmation run. */
  readonly needsConfirmation: boolean;
}

/** A domain that differs at every run gets no further confirmation run until its next scheduled check. */
const MAX_RUNS = 3;

/**
 * The monitor state after a check run, and the alerts that the run raises. `state` is undefined before the first run,
 * whose facts become the baseline and raise nothing.
 */
export function nextMonitorState(
  state: MonitorState | undefined,
  facts: CheckRunFacts,
  context: MonitorContext,
): MonitorStep {
  const { now, threshold, confirmAfterMilliseconds } = context;
  if (state === undefined) {
    return unchanged({ baseline: facts, isBelowThreshold: facts.score !== null && facts.score < threshold });
  }
  const known: MonitorState = { ...state, baseline: rebased(state.baseline, facts) };
  const { pending } = known;
  const difference = differenceOf(known, facts, threshold);
  if (isNone(difference))
    return unchanged({ baseline: known.baseline, isBelowThreshold: known.isBelowThreshold });

  const pendingAt = (runs: number) => ({ facts, at: now.toISOString(), runs });
  if (pending === undefined) {
    return { state: { ...known, pending: pendingAt(1) }, alerts: [], needsConfirmation: true };
  }
  // Half of it, so that the scheduled confirmation run is never too early to count.
  // A change that was found long after `now` was found by a clock that was ahead, which does not delay its confirmation.
  if (Math.abs(now.getTime() - Date.parse(pending.at)) < confirmAfterMilliseconds / 2)
    return unchanged(known);

  const confirmed = inBoth(difference, differenceOf(known, pending.facts, threshold));
  const { alerts, ...next } = applyConfirmed(known, confirmed, facts, context);
  if (isNone(differenceOf(next, facts, threshold)) || pending.runs >= MAX_RUNS) {
    return { state: next, alerts, needsConfirmation: false };
  }
  return { state: { ...next, pending: pendingAt(pending.runs + 1) }, alerts, needsConfirmation: true };
}

interface BaselineDifference {
  readonly checks: CheckChanges;
  /** The new score, if the change is large enough for an alert. */
  readonly score: number | undefined;
  /** The side of the threshold that the score moved to; undefined if it did not cross. */
  readonly crossed: 'below' | 'above' | undefined;
}

function differenceOf(
  { baseline, isBelowThreshold }: Omit<MonitorState, 'pending'>,
  facts: CheckRunFacts,
  threshold: number,
): BaselineDifference {
  const score = comparableScore(baseline, facts);
  const isNowBelow = score === undefined ? isBelowThreshold : score < threshold;
  return {
    checks: changesOf(baseline, facts),
    score: score !== undefined && isNotable(baseline, facts) ? score : undefined,
    crossed: isNowBelow === isBelowThreshold ? undefined : isNowBelow ? 'below' : 'above',
  };
}

const isNone = ({ checks, score, crossed }: BaselineDifference): boolean =>
  Object.keys(checks).length === 0 && score === undefined && crossed === undefined;

/** A score change of at least this many points, or of a grade, raises an alert. */
const NOTABLE_POINTS = 10;

function isNotable(baseline: CheckRunFacts, facts: CheckRunFacts): boolean {
  if (baseline.score === null || facts.score === null) return false;
  return Math.abs(facts.score - baseline.score) >= NOTABLE_POINTS || facts.grade !== baseline.grade;
}

/** A score that rests on fewer answers than the baseline score is not compared with it. */
function comparableScore(baseline: CheckRunFacts, facts: CheckRunFacts): number | undefined {
  return facts.score === null || facts.confidence < baseline.confidence ? undefined : facts.score;
}

/**
 * Adjusts the baseline if a difference is not a change of the domain: more lookups succeeded, the usage type changed, a service
 * rotated a DKIM key behind an alias that stays, or the rules of this service changed. In the last case, the baseline takes
 * the faults of this run.
 */
function rebased(earlier: CheckRunFacts, facts: CheckRunFacts): CheckRunFacts {
  const known = withContext(withFirst(earlier.checks, facts.checks), facts.checks);
  const baseline = { ...earlier, checks: { ...known, dkim: withKeys(known.dkim, facts.checks.dkim) } };
  const { score, grade, confidence, usageType, rules } = facts;
  const hasOtherRules = baseline.rules !== rules;
  const isNotComparable =
    hasOtherRules || baseline.usageType !== usageType || confidence > baseline.confidence;
  const rescored =
    score !== null && (isNotComparable || baseline.score === null)
      ? { ...baseline, score, grade, confidence, usageType }
      : baseline;
  if (!hasOtherRules) return rescored;
  const checks = Object.entries(baseline.checks).map(([name, check]) => {
    const { faults, complete } = facts.checks[name as CheckName];
    return [name, { ...check, faults: complete ? faults : [...check.faults, ...faults] }];
  });
  return { ...rescored, rules, checks: Object.fromEntries(checks) };
}

/** With the facts of checks about which nothing was known: what they find first is no change. */
const withFirst = (before: CheckRunFacts['checks'], now: CheckRunFacts['checks']): CheckRunFacts['checks'] =>
  forEachCheck((name) => (isDeepStrictEqual(before[name], nothingKnown) ? now[name] : before[name]));

/** With what earlier runs did not know beside the records. */
function withContext(before: CheckRunFacts['checks'], now: CheckRunFacts['checks']): CheckRunFacts['checks'] {
  const checks = Object.entries(before).map(([name, check]) => {
    const { context = now[name as CheckName].context } = check;
    return [name, context === undefined ? check : { ...check, context }];
  });
  return Object.fromEntries(checks);
}

/** With the present keys of selectors that are the same aliases as before, and with the present aliases of unchanged keys. */
function withKeys(before: CheckFacts, now: CheckFacts): CheckFacts {
  const { aliases: present } = now;
  if (present === undefined) return before;
  const { aliases: known = [] } = before;
  const selectorOf = (text: string) => text.slice(0, text.indexOf(':') + 1);
  const of = (selector: string, records: readonly string[]) =>
    records.filter((record) => selectorOf(record) === selector);
  const rotated = present
    .filter((alias) => known.includes(alias))
    .map(selectorOf)
    .filter((selector) => of(selector, before.records).length > 0);
  const records = [
    ...before.records.filter((record) => !rotated.includes(selectorOf(record))),
    ...now.records.filter((record) => rotated.includes(selectorOf(record))),
  ].toSorted();
  const isSame = (alias: string) => {
    const selector = selectorOf(alias);
    return isDeepStrictEqual(of(selector, records), of(selector, now.records));
  };
  const aliases = [...known.filter((alias) => !isSame(alias)), ...present.filter(isSame)];
  return { ...before, records, aliases };
}

/** What both runs have in common. If both have a new score, the later one counts. */
function inBoth(now: BaselineDifference, before: BaselineDifference): BaselineDifference {
  return {
    checks: commonChanges(now.checks, before.checks),
    score: before.score === undefined ? undefined : now.score,
    crossed: now.crossed === before.crossed ? now.crossed : undefined,
  };
}

function applyConfirmed(
  { baseline, isBelowThreshold }: MonitorState,
  { checks, score, crossed }: BaselineDifference,
  facts: CheckRunFacts,
  { domain, threshold }: MonitorContext,
): Omit<MonitorState, 'pending'> & { readonly alerts: readonly AlertDraft[] } {
  const entries = Object.entries(checks) as [CheckName, CheckChange][];
  const drafts = [
    ...entries.map(([name, change]) =>
      dnsChange(domain, name, change, { before: baseline.checks[name], after: facts.checks[name] }),
    ),
    ...(score === undefined ? [] : scoreChange(domain, baseline, facts)),
    ...(crossed === undefined ? [] : [scoreThreshold(domain, { baseline, facts, threshold, crossed })]),
  ];
  return {
    baseline: {
      ...baseline,
      ...(score === undefined && crossed === undefined ? {} : { score: facts.score, grade: facts.grade }),
      checks: withChanges(baseline.checks, checks, facts),
    },
    isBelowThreshold: crossed === undefined ? isBelowThreshold : crossed === 'below',
    alerts: drafts,
  };
}

const unchanged = (state: MonitorState): MonitorStep => ({ state, alerts: [], needsConfirmation: false });
