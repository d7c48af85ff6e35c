/**
 * Change detection for a domain. Each check run is compared with the baseline: the facts that the owner was last
 * alerted about. A change raises alerts only after a second check run confirms it, so a change that disappears within
 * a minute raises none, each change is alerted once, and a failed lookup is not a change.
 */

import { isDeepStrictEqual } from 'node:util';
import { forEachCheck } from '../checks/checks.ts';
import type { CheckName } from '../checks/state.ts';
import type { AlertDraft } from './alert.ts';
import { confirm, isDifferent, type Known } from './differences.ts';
import { type CheckFacts, type CheckRunFacts, nothingKnown } from './facts.ts';
import { remembered } from './observed.ts';

/** What is stored about a domain between check runs. */
export interface MonitorState extends Known {
  /** A change: a check run that differs from the baseline and that no second run has confirmed yet. */
  readonly pending?: {
    readonly facts: CheckRunFacts;
    /** ISO time of that check run. */
    readonly at: string;
    /** How many consecutive check runs differed from the baseline. */
    readonly runs: number;
  };
}

interface MonitorContext {
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
  const { domain, now, threshold, confirmAfterMilliseconds } = context;
  if (state === undefined) {
    return unchanged({ baseline: facts, isBelowThreshold: facts.score !== null && facts.score < threshold });
  }
  const { pending, ...before } = state;
  const known: Known = { ...before, baseline: rebased(before.baseline, facts) };
  const run = { domain, facts, threshold };
  if (!isDifferent(known, run)) return unchanged(known);

  const pendingAt = (runs: number) => ({ facts, at: now.toISOString(), runs });
  if (pending === undefined) {
    return { state: { ...known, pending: pendingAt(1) }, alerts: [], needsConfirmation: true };
  }
  // Half of it, so that the scheduled confirmation run is never too early to count.
  // A change that was found long after `now` was found by a clock that was ahead, which does not delay its confirmation.
  if (Math.abs(now.getTime() - Date.parse(pending.at)) < confirmAfterMilliseconds / 2)
    return unchanged({ ...known, pending });

  const { alerts, ...next } = confirm(known, run, pending.facts);
  if (!isDifferent(next, run) || pending.runs >= MAX_RUNS) {
    return { state: next, alerts, needsConfirmation: false };
  }
  return { state: { ...next, pending: pendingAt(pending.runs + 1) }, alerts, needsConfirmation: true };
}

/**
 * Adjusts the baseline if a difference is not a change of the domain: more lookups succeeded, the usage type changed, a service
 * rotated a DKIM key behind an alias that stays, or the rules of this service changed. In the last case, the baseline takes
 * the faults of this run.
 */
function rebased(earlier: CheckRunFacts, facts: CheckRunFacts): CheckRunFacts {
  const known = withContext(withFirst(earlier.checks, facts.checks), facts.checks);
  const observed = remembered(earlier.observed, facts.observed);
  const checks = { ...known, dkim: withKeys(known.dkim, facts.checks.dkim) };
  const baseline = { ...earlier, observed, checks };
  const { score, grade, confidence, usageType, rules } = facts;
  const hasOtherRules = baseline.rules !== rules;
  const isNotComparable =
    hasOtherRules || baseline.usageType !== usageType || confidence > baseline.confidence;
  const rescored =
    score !== null && (isNotComparable || baseline.score === null)
      ? { ...baseline, score, grade, confidence, usageType }
      : baseline;
  if (!hasOtherRules) return rescored;
  const judged = Object.entries(baseline.checks).map(([name, check]) => {
    const { faults, complete } = facts.checks[name as CheckName];
    return [name, { ...check, faults: complete ? faults : [...check.faults, ...faults] }];
  });
  return { ...rescored, rules, checks: Object.fromEntries(judged) };
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
  ];
  const isSame = (alias: string) => {
    const selector = selectorOf(alias);
    return isDeepStrictEqual(of(selector, records), of(selector, now.records));
  };
  const aliases = [...known.filter((alias) => !isSame(alias)), ...present.filter(isSame)];
  return { ...before, records, aliases };
}

const unchanged = (state: MonitorState): MonitorStep => ({ state, alerts: [], needsConfirmation: false });
