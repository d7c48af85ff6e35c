/** The kinds of difference between the baseline of a domain and a check run, a row each. */
import type { CheckName } from '../checks/state.ts';
import type { AlertDraft } from './alert.ts';
import { type CheckChange, changesOf, commonChanges, withChanges } from './changes.ts';
import { dnsChange } from './dns-alerts.ts';
import type { CheckRunFacts } from './facts.ts';
import { commonObserved, observedChanges, observedDrafts, withObserved } from './observed.ts';
import { scoreChange, scoreThreshold } from './score-alerts.ts';

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
