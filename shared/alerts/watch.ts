/**
 * When something is told about a domain: what was told stands against what is seen, and a difference is told only
 * when a second look confirms it. So nothing that passes within a minute is told, each change is told once, and an
 * answer that could not be had is no change.
 */

import type { CheckName } from '../checks/results.ts';
import type { AlertDraft } from './alert.ts';
import { type CheckChange, type CheckChanges, changesOf, common, withChanges } from './changes.ts';
import { dnsChange } from './dns-alerts.ts';
import type { Facts } from './facts.ts';
import { scoreChange, scoreThreshold } from './score-alerts.ts';

/** What is remembered of a domain between looks. */
export interface Watch {
  /** What the owner knows: the facts of the first look, and every change told since. */
  readonly told: Facts;
  /** Whether the score that the owner knows lies below the threshold. */
  readonly isBelow: boolean;
  /** A look that differs from what was told, and that no other one has confirmed yet. */
  readonly seen?: {
    readonly facts: Facts;
    /** ISO time of the look. */
    readonly at: string;
    /** How many looks in a row differed. */
    readonly looks: number;
  };
}

export interface Circumstances {
  readonly domain: string;
  readonly now: Date;
  /** A score below it is worth an alert. */
  readonly threshold: number;
  /** How long after a difference a second look counts. */
  readonly confirmAfterMilliseconds: number;
}

export interface Step {
  readonly watch: Watch;
  readonly alerts: readonly AlertDraft[];
  /** Whether somebody has to look again soon; asked for once per look that found something. */
  readonly lookAgain: boolean;
}

/** A domain that shows something else at every look is left alone until its next check by schedule. */
const MAX_LOOKS = 3;

/** The next state of the watch on a domain after a look at it. Before the first look there is no `watch`. */
export function watchStep(watch: Watch | undefined, facts: Facts, circumstances: Circumstances): Step {
  const { now, threshold, confirmAfterMilliseconds } = circumstances;
  if (watch === undefined) {
    return silent({ told: facts, isBelow: facts.score !== null && facts.score < threshold });
  }
  const known: Watch = { ...watch, told: rebased(watch.told, facts) };
  const { seen } = known;
  const difference = differenceOf(known, facts, threshold);
  if (isNone(difference)) return silent({ told: known.told, isBelow: known.isBelow });

  const pending = (looks: number) => ({ facts, at: now.toISOString(), looks });
  if (seen === undefined) {
    return { watch: { ...known, seen: pending(1) }, alerts: [], lookAgain: true };
  }
  // Half the time, so that the look which was asked for is never too early to count.
  if (now.getTime() - Date.parse(seen.at) < confirmAfterMilliseconds / 2) return silent(known);

  const confirmed = agreed(difference, differenceOf(known, seen.facts, threshold));
  const { alerts, ...next } = tell(known, confirmed, facts, circumstances);
  if (isNone(differenceOf(next, facts, threshold)) || seen.looks >= MAX_LOOKS) {
    return { watch: next, alerts, lookAgain: false };
  }
  return { watch: { ...next, seen: pending(seen.looks + 1) }, alerts, lookAgain: true };
}

interface Difference {
  readonly checks: CheckChanges;
  /** The score that is to be told; undefined where there is nothing to tell. */
  readonly score: number | undefined;
  /** On which other side of the threshold the score is now; undefined where it is on the same. */
  readonly crossed: 'below' | 'above' | undefined;
}

function differenceOf({ told, isBelow }: Omit<Watch, 'seen'>, facts: Facts, threshold: number): Difference {
  const score = comparableScore(told, facts);
  const isNowBelow = score === undefined ? isBelow : score < threshold;
  return {
    checks: changesOf(told, facts),
    score: score !== undefined && isNotable(told, facts) ? score : undefined,
    crossed: isNowBelow === isBelow ? undefined : isNowBelow ? 'below' : 'above',
  };
}

const isNone = ({ checks, score, crossed }: Difference): boolean =>
  Object.keys(checks).length === 0 && score === undefined && crossed === undefined;

/** 10 points or a grade. */
const NOTABLE_POINTS = 10;

function isNotable(told: Facts, facts: Facts): boolean {
  if (told.score === null || facts.score === null) return false;
  return Math.abs(facts.score - told.score) >= NOTABLE_POINTS || facts.grade !== told.grade;
}

/** A score that rests on fewer answers than the one told says nothing against it. */
function comparableScore(told: Facts, facts: Facts): number | undefined {
  return facts.score === null || facts.confidence < told.confidence ? undefined : facts.score;
}

/**
 * Where something differs through what is known or asked of the domain, not through the domain, nothing is to be told:
 * by other answers, by another usage, and by other rules, after which the faults count as known.
 */
function rebased(told: Facts, facts: Facts): Facts {
  const { score, grade, confidence, usageType, rules } = facts;
  const hasOtherRules = told.rules !== rules;
  const isOtherQuestion = hasOtherRules || told.usageType !== usageType || confidence > told.confidence;
  const rescored =
    score !== null && (isOtherQuestion || told.score === null)
      ? { ...told, score, grade, confidence, usageType }
      : told;
  if (!hasOtherRules) return rescored;
  const checks = Object.entries(told.checks).map(([name, check]) => {
    const { faults, complete } = facts.checks[name as CheckName];
    return [name, { ...check, faults: complete ? faults : [...check.faults, ...faults] }];
  });
  return { ...rescored, rules, checks: Object.fromEntries(checks) };
}

/** What both looks agree on; of two scores that differ alike from the one told, the later counts. */
function agreed(now: Difference, before: Difference): Difference {
  return {
    checks: common(now.checks, before.checks),
    score: before.score === undefined ? undefined : now.score,
    crossed: now.crossed === before.crossed ? now.crossed : undefined,
  };
}

function tell(
  { told, isBelow }: Watch,
  { checks, score, crossed }: Difference,
  facts: Facts,
  { domain, now, threshold }: Circumstances,
): Omit<Watch, 'seen'> & { readonly alerts: readonly AlertDraft[] } {
  const entries = Object.entries(checks) as [CheckName, CheckChange][];
  const drafts = [
    ...entries.map(([name, change]) =>
      dnsChange(domain, name, change, { before: told.checks[name], after: facts.checks[name] }),
    ),
    ...(score === undefined ? [] : scoreChange(domain, told, facts)),
    ...(crossed === undefined ? [] : [scoreThreshold(domain, { told, facts, threshold, crossed })]),
  ];
  return {
    told: {
      ...told,
      ...(score === undefined && crossed === undefined ? {} : { score: facts.score, grade: facts.grade }),
      checks: withChanges(told.checks, checks, facts),
    },
    isBelow: crossed === undefined ? isBelow : crossed === 'below',
    // The time makes an occasion of its own of a change that comes back.
    alerts: drafts.map((draft) => ({ ...draft, occasion: `${draft.occasion}#${now.toISOString()}` })),
  };
}

const silent = (watch: Watch): Step => ({ watch, alerts: [], lookAgain: false });
