/** What lists show of the latest check run of a domain, so that they do not read all results. */
import * as z from 'zod/mini';
import type { DmarcResult } from '../../checks/dmarc/result.ts';
import { finding } from '../../protocol/findings/finding.ts';
import { dayAt } from '../../protocol/time.ts';
import { daysBefore } from '../../reports/day.ts';
import { points } from '../../score/grade.ts';

/** The DMARC policy that receivers apply to a domain, the weakest first. */
export const listedPolicies = ['no-policy', 'none', 'quarantine', 'reject'] as const;

export const listedPolicy = z.enum(listedPolicies);

export type ListedPolicy = z.infer<typeof listedPolicy>;

/** The policy that a check found; null if it is not known. */
export const policyOf = ({
  state,
  effectivePolicy,
}: Pick<DmarcResult, 'state' | 'effectivePolicy'>): ListedPolicy | null =>
  state === 'unknown' ? null : (effectivePolicy ?? 'no-policy');

export const listed = z.object({
  /** Null if it is not known. */
  policy: z.nullable(listedPolicy),
  /** The most dangerous finding, and by how much the score can rise at most with its check; null if there is none. */
  next: z.nullable(z.object({ finding, gain: z.number() })),
  /** The statuses for compliance profiles (`shared/compliance/listed.ts`); absent before a release that stores them. */
  compliance: z.optional(z.string()),
});

export type Listed = Readonly<z.infer<typeof listed>>;

/** Before the first check run. */
export const nothingListed: Listed = { policy: null, next: null };

/** When the score changed, and what it was before; null if it was not known. */
export const scoreChange = z.object({ at: z.string(), before: z.nullable(points) });

export type ScoreChange = Readonly<z.infer<typeof scoreChange>>;

/** As many as a picture of the size of a word shows. */
const MOST_CHANGES = 12;

/** The latest changes of a score with another one; the first score is no change. */
export function withScore(
  changes: readonly ScoreChange[],
  before: number | null | undefined,
  after: number | null,
  at: string,
): ScoreChange[] {
  const all = before === undefined || before === after ? changes : [...changes, { at, before }];
  return all.slice(-MOST_CHANGES);
}

/** What lists compare the present score with. */
export const COMPARED_DAYS = 7;

/** The scores before the changes of the compared days, for the directory; it has them until the next change. */
export const scoresBefore = (changes: readonly ScoreChange[], now: string): ScoreBefore[] =>
  changes
    .filter(({ at }) => at >= comparedFrom(new Date(now)))
    .map(({ at, before }) => ({ day: at.slice(0, 10), score: before }));

/** A score until a day (UTC). */
export interface ScoreBefore {
  readonly day: string;
  readonly score: number | null;
}

/** The first day (UTC) whose changes are compared. */
export const comparedFrom = (now: Date): string => daysBefore(dayAt(now), COMPARED_DAYS);

/** By how much a score rose since a day; null if one of both scores is not known. */
export function changeOf(week: readonly ScoreBefore[], score: number | null, from: string): number | null {
  const first = week.find(({ day }) => day >= from);
  if (first === undefined) return 0;
  return score === null || first.score === null ? null : score - first.score;
}
