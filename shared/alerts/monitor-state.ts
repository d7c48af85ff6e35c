/**
 * Change detection for a domain. Each check run is compared with the baseline: the facts that the owner was last
 * alerted about. A change raises alerts only after a second check run confirms it, so a change that disappears within
 * a minute raises none, each change is alerted once, and a failed lookup is not a change.
 */

import { isDeepStrictEqual } from 'node:util';
import { forEachCheck } from '../checks/checks.ts';
import type { CheckName } from '../checks/state.ts';
import type { Grade } from '../score/grade.ts';
import { gradeOf } from '../score/score.ts';
import type { AlertDraft } from './alert.ts';
import { type CheckChange, changesOf, commonChanges, withChanges } from './changes.ts';
import { dnsChange } from './dns-alerts.ts';
import { type CheckFacts, type CheckRunFacts, nothingKnown } from './facts.ts';
import { commonObserved, observedChanges, observedDrafts, remembered, withObserved } from './observed.ts';

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
  ].toSorted();
  const isSame = (alias: string) => {
    const selector = selectorOf(alias);
    return isDeepStrictEqual(of(selector, records), of(selector, now.records));
  };
  const aliases = [...known.filter((alias) => !isSame(alias)), ...present.filter(isSame)];
  return { ...before, records, aliases };
}

const unchanged = (state: MonitorState): MonitorStep => ({ state, alerts: [], needsConfirmation: false });

/** What the owner knows. */
export interface Known {
  /** The facts of the first check run, and every change alerted since. */
  readonly baseline: CheckRunFacts;
  /** Whether the baseline score is below the threshold. */
  readonly isBelowThreshold: boolean;
}

interface Run {
  readonly domain: string;
  readonly facts: CheckRunFacts;
  /** A score below this raises an alert. */
  readonly threshold: number;
}

interface Kind<D> {
  /** The difference of a run; undefined without one. */
  find(known: Known, run: Run): D | undefined;
  /** What both runs have in common; undefined if that is nothing. */
  common(now: D, before: D): D | undefined;
  drafts(difference: D, known: Known, run: Run): readonly AlertDraft[];
  /** What the owner knows after the alert. */
  accept(difference: D, known: Known, run: Run): Known;
}

interface Confirmed {
  readonly drafts: readonly AlertDraft[];
  readonly accept: (known: Known) => Known;
}

function kind<D>({ find, common, drafts, accept }: Kind<D>) {
  return {
    isFound: (known: Known, run: Run): boolean => find(known, run) !== undefined,
    confirm(known: Known, run: Run, before: Run): Confirmed | undefined {
      const [now, then] = [find(known, run), find(known, before)];
      const both = now === undefined || then === undefined ? undefined : common(now, then);
      if (both === undefined) return undefined;
      return { drafts: drafts(both, known, run), accept: (next) => accept(both, next, run) };
    },
  };
}

const orNone = <T extends object>(differences: T): T | undefined =>
  Object.keys(differences).length === 0 ? undefined : differences;

/** A score change of at least this many points, or of a grade, raises an alert. */
const NOTABLE_POINTS = 10;

const withScore = (known: Known, { facts: { score, grade } }: Run): Known => ({
  ...known,
  baseline: { ...known.baseline, score, grade },
});

/** A score that rests on fewer answers than the baseline score is not compared with it. */
const comparableScore = ({ baseline }: Known, { facts }: Run): number | undefined =>
  facts.score === null || facts.confidence < baseline.confidence ? undefined : facts.score;

const kinds = [
  kind({
    find: ({ baseline }, { facts }) => orNone(changesOf(baseline, facts)),
    common: (now, before) => orNone(commonChanges(now, before)),
    drafts: (changes, { baseline }, { domain, facts }) =>
      (Object.entries(changes) as [CheckName, CheckChange][]).map(([name, change]) =>
        dnsChange(domain, name, change, { before: baseline.checks[name], after: facts.checks[name] }),
      ),
    accept: (changes, known, { facts }) => ({
      ...known,
      baseline: { ...known.baseline, checks: withChanges(known.baseline.checks, changes, facts) },
    }),
  }),
  kind({
    find: ({ baseline }, { facts }) => orNone(observedChanges(baseline.observed, facts.observed)),
    common: (now, before) => orNone(commonObserved(now, before)),
    drafts: (changes, _, { domain }) => observedDrafts(domain, changes),
    accept: (changes, known) => ({
      ...known,
      baseline: { ...known.baseline, observed: withObserved(known.baseline.observed, changes) },
    }),
  }),
  // The score, if it changed enough for an alert. If it did in both runs, the later one counts.
  kind({
    find(known, run) {
      const [before, score] = [known.baseline, comparableScore(known, run)];
      if (score === undefined || before.score === null) return undefined;
      const isNotable = Math.abs(score - before.score) >= NOTABLE_POINTS || run.facts.grade !== before.grade;
      return isNotable ? score : undefined;
    },
    common: (now) => now,
    drafts: (_, { baseline }, { domain, facts }) => scoreChange(domain, baseline, facts),
    accept: (_, known, run) => withScore(known, run),
  }),
  // The side of the threshold that the score moved to.
  kind<'below' | 'above'>({
    find(known, run) {
      const score = comparableScore(known, run);
      const isBelow = score === undefined ? known.isBelowThreshold : score < run.threshold;
      return isBelow === known.isBelowThreshold ? undefined : isBelow ? 'below' : 'above';
    },
    common: (now, before) => (now === before ? now : undefined),
    drafts: (crossed, { baseline }, { domain, ...run }) => [
      scoreThreshold(domain, { baseline, crossed, ...run }),
    ],
    accept: (crossed, known, run) => ({ ...withScore(known, run), isBelowThreshold: crossed === 'below' }),
  }),
];

/** Whether a run differs from what the owner knows. */
export const isDifferent = (known: Known, run: Run): boolean => kinds.some((one) => one.isFound(known, run));

/** The alerts about what two runs agree on, and what the owner knows after them. */
export function confirm(
  known: Known,
  run: Run,
  before: CheckRunFacts,
): Known & { readonly alerts: readonly AlertDraft[] } {
  const confirmed = kinds.flatMap((one) => one.confirm(known, run, { ...run, facts: before }) ?? []);
  const after = confirmed.reduce((next, { accept }) => accept(next), known);
  return { ...after, alerts: confirmed.flatMap(({ drafts }) => drafts) };
}

type Scored = Pick<CheckRunFacts, 'score' | 'grade'>;

const grades: readonly Grade[] = ['A', 'B', 'C', 'D', 'F'];

/** `critical` if the score dropped two grades, `info` if it rose; none if one of the scores is unknown. */
export function scoreChange(domain: string, before: Scored, after: Scored): AlertDraft[] {
  const [previousScore, newScore] = [before.score, after.score];
  if (previousScore === null || newScore === null) return [];
  const { grade: previousGrade } = gradeOf(previousScore);
  const { grade: newGrade } = gradeOf(newScore);
  const fall = grades.indexOf(newGrade) - grades.indexOf(previousGrade);
  const rose = newScore > previousScore;
  return [
    {
      type: 'score_change',
      severity: rose ? 'info' : fall >= 2 ? 'critical' : 'warning',
      title: `Score ${rose ? 'rose' : 'dropped'} from ${previousScore} to ${newScore}: ${domain}`,
      message:
        previousGrade === newGrade
          ? `The grade is still ${newGrade}.`
          : `The grade changed from ${previousGrade} to ${newGrade}.`,
      metadata: { previousScore, newScore, previousGrade, newGrade },
    },
  ];
}

/** The score crossed the threshold: `warning` if it dropped, `info` if it rose. */
export function scoreThreshold(
  domain: string,
  {
    baseline,
    facts,
    threshold,
    crossed,
  }: { baseline: Scored; facts: Scored; threshold: number; crossed: 'below' | 'above' },
): AlertDraft {
  const fell = crossed === 'below';
  return {
    type: 'score_threshold',
    severity: fell ? 'warning' : 'info',
    title: `Score ${fell ? 'below' : 'no longer below'} ${threshold}: ${domain}`,
    message: `The score is ${facts.score}. The alert threshold is ${threshold}.`,
    metadata: { threshold, previousScore: baseline.score, newScore: facts.score, direction: crossed },
  };
}
