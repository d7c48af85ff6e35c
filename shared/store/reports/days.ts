/**
 * The item of a day: the sums of the reports whose periods begin on it, and a note about each report that waits for the
 * next roll-up (`roll-up.ts`). The transaction of a report adds to it and reads nothing of it, so the reports of a day never
 * make each other try again.
 */

import * as z from 'zod/mini';
import { allOf, having, updateAt } from '../changes.ts';
import { domainReference } from '../domains/domain.ts';
import { counter } from '../item-schema.ts';
import { PRESENT } from '../items.ts';
import { type ReportKind, reportDayKey, reportKinds } from '../keys.ts';
import { expiryOf } from '../retention.ts';
import type { Write } from '../table.ts';

/** What a report adds to the sums of its day: messages of DMARC reports, or connections of TLS reports. */
export interface Counts extends Readonly<Record<string, number>> {
  readonly passed: number;
  readonly failed: number;
}

/** A report of a day, by its key. */
export interface DayReport {
  readonly begin: string;
  readonly id: string;
  /** Those that passed and failed. */
  readonly counts: readonly [number, number];
}

/** The name of the note about a report. No other attribute begins with `T`. */
const noteOf = (begin: string, id: string): string => `${begin.slice(10)}#${id}`;

const notes = z.looseRecord(z.string().check(z.regex(/^T/)), z.readonly(z.tuple([z.number(), z.number()])));

const sums = z.object({
  day: z.string(),
  reports: counter,
  passed: counter,
  failed: counter,
  /** Of DMARC reports only. */
  dkimAligned: counter,
  spfAligned: counter,
  quarantined: counter,
  rejected: counter,
  /** The number of the last roll-up; 0 if there was none. */
  rolledUp: counter,
  /** How often a report of the day was replaced or removed, and how often until the last roll-up. */
  changed: counter,
  changedBefore: counter,
  /** How many reports of the day were deleted by their owner, ever. */
  deletions: counter,
  expiresAt: z.optional(z.number()),
});

export const dayItem = z.pipe(
  z.pipe(
    notes,
    z.transform((item): unknown => ({ ...item, waiting: waitingIn(item) })),
  ),
  z.extend(sums, { waiting: z.custom<readonly DayReport[]>(Array.isArray) }),
);

const waitingIn = (item: Readonly<z.infer<typeof notes>>): readonly DayReport[] =>
  Object.entries(item).flatMap(([name, counts]) => {
    const [, time, id = ''] = /^(T[^#]+)#(.+)$/.exec(name) ?? [];
    return time === undefined ? [] : [{ begin: `${item.day}${time}`, id, counts }];
  });

/** A day (`2026-01-31`, UTC), and its reports that are not rolled up yet. */
export type StoredDay = Readonly<z.infer<typeof dayItem>>;

/** Whether the day has to be rolled up from all of its reports, not only from those that wait. */
export const isChanged = ({ changed, changedBefore }: StoredDay): boolean => changed !== changedBefore;

export const dayOf = (time: string): string => time.slice(0, 10);

/** The expiry of a report. The readers refuse one that begins more than MAX_LEAD_DAYS ahead. */
export const reportExpiry = (begin: string, retentionDays: number): number | undefined =>
  expiryOf(dayOf(begin), retentionDays);

/** A report, by its key, with what it counted before and counts after; absent if it was or is not stored. */
interface ReportChange {
  readonly begin: string;
  readonly id: string;
  readonly before?: Counts | undefined;
  readonly after?: Counts | undefined;
}

/** What changes about a day. */
interface DayChange {
  readonly kind: ReportKind;
  readonly domainId: string;
  /** The expiry of the day; absent if it is kept forever. */
  readonly expiresAt: number | undefined;
  /** Whether its owner deletes it. */
  readonly isDeletion?: boolean;
  /** Fails if any report of the day was deleted. */
  readonly ifNoneDeleted?: boolean;
}

/** The write that changes the sums of the day (`2026-01-31`) of some reports, and notes the new ones. */
export function dayUpdate(day: string, reports: readonly ReportChange[], change: DayChange): Write {
  const { kind, domainId, expiresAt, isDeletion, ifNoneDeleted } = change;
  const numbers = {
    ...difference(
      reports.flatMap(({ after }) => after ?? []),
      reports.flatMap(({ before }) => before ?? []),
    ),
    ...(reports.some(({ before }) => before !== undefined) && { changed: 1 }),
    ...(isDeletion === true && { deletions: 1 }),
  };
  const noted = reports.flatMap(({ begin, id, before, after }) =>
    before === undefined && after !== undefined
      ? [[noteOf(begin, id), [after.passed, after.failed]] as const]
      : [],
  );
  const set = { day, expiresAt, ...Object.fromEntries(noted) };
  const condition = ifNoneDeleted === true ? having({ deletions: undefined }) : {};
  return { Update: updateAt(reportDayKey(kind, domainId, day), set, condition, numbers) };
}

/** What some reports add to the sums, less what others added. */
function difference(added: readonly Counts[], removed: readonly Counts[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [sign, all] of [
    [1, added],
    [-1, removed],
  ] as const)
    for (const counts of all)
      for (const [name, value] of Object.entries({ reports: 1, ...counts }))
        sums[name] = (sums[name] ?? 0) + sign * value;
  return sums;
}

/** The write that takes the notes of a roll-up away, unless something else rolled up or changed the day meanwhile. */
export function rolledUpDay(
  kind: ReportKind,
  domainId: string,
  { day, rolledUp, changed }: StoredDay,
  taken: readonly DayReport[],
): Write {
  const gone = Object.fromEntries(taken.map(({ begin, id }) => [noteOf(begin, id), undefined]));
  const isSame = having({ rolledUp: rolledUp || undefined, changed: changed || undefined });
  return {
    Update: updateAt(
      reportDayKey(kind, domainId, day),
      { rolledUp: rolledUp + 1, changedBefore: changed, ...gone },
      allOf(PRESENT, isSame),
    ),
  };
}

/** A reason to roll up reports of a kind: those of a day that has changed enough, or of all days before a new one. */
const rollUp = {
  kind: z.enum(reportKinds),
  day: z.string(),
  earlier: z.boolean(),
};

/** The message of the queue `summaries`: what to roll up of a domain. */
export const rollUpMessage = z.object({ domain: domainReference, ...rollUp });

export type RollUpMessage = Readonly<z.infer<typeof rollUpMessage>>;

export type RollUp = Omit<RollUpMessage, 'domain'>;

/**
 * After how many further reports a day is rolled up: an eighth of its reports, within these limits. Readers read fewer than
 * that one by one, and the more reports a day has, the more is rewritten.
 */
const FEWEST_PER_ROLL_UP = 8;
const MOST_PER_ROLL_UP = 32;

function isDue(reports: number): boolean {
  const eighth = 2 ** Math.floor(Math.log2(reports / 8));
  return reports % Math.min(MOST_PER_ROLL_UP, Math.max(FEWEST_PER_ROLL_UP, eighth)) === 0;
}

/**
 * Whether to roll up a day to which an archive added some reports. That is less often than usual, because all days are rolled
 * up after the import, and often enough for the notes in the item.
 */
export const isDueInArchive = (known: StoredDay | undefined, added: number): boolean => {
  const before = known?.reports ?? 0;
  return Math.floor((before + added) / MOST_PER_ROLL_UP) > Math.floor(before / MOST_PER_ROLL_UP);
};

/** What to roll up after a change, if the day was like this before; it may have changed a little since. */
export function rollUpAfter(
  { kind, begin, before }: Pick<DayChange, 'kind'> & Pick<ReportChange, 'begin' | 'before'>,
  known: StoredDay | undefined,
): RollUp | null {
  const day = dayOf(begin);
  const reports = (known?.reports ?? 0) + 1;
  if (before !== undefined || isDue(reports)) return { kind, day, earlier: false };
  return reports === 1 ? { kind, day, earlier: true } : null;
}
