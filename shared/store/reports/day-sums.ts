/**
 * The writes that keep a day's sums consistent with its reports, for the transaction that adds or removes a report.
 */
import * as z from 'zod/mini';
import { domainReference } from '../domains/domain.ts';
import { pack } from '../item-schema.ts';
import { type Read, unchangedSince } from '../items.ts';
import { type ReportKind, reportDayKey, reportDetailKey } from '../keys.ts';
import type { Write } from '../table.ts';
import {
  type DayDetail,
  type DetailItem,
  dayOf,
  detailItem,
  partOf,
  pendingAttribute,
  type Tally,
} from './days.ts';
import type { DaySources } from './dmarc-sources.ts';

/** What a report adds to the sums of its day. */
export interface Contribution {
  readonly tally: Omit<Tally, 'reports'>;
  /** Further numbers that are summed per day. */
  readonly counters: Readonly<Record<string, number>>;
  /** The day's sources with this report added and with it removed. */
  readonly addTo: (sources: DaySources | null) => DaySources | null;
  readonly subtractFrom: (sources: DaySources | null) => DaySources | null;
}

/** A report, by its key, with the contribution that is added and the one that is removed. */
interface DayChange {
  readonly kind: ReportKind;
  readonly domainId: string;
  readonly begin: string;
  readonly id: string;
  readonly added?: Contribution | undefined;
  readonly removed?: Contribution | undefined;
  /** Whether the report is to stay away when it arrives again. */
  readonly isDeleted?: boolean;
  /** The expiry of the day's items; absent if they are kept forever. */
  readonly expiring: { readonly expiresAt?: number };
}

/** A reason to roll up the summaries of reports: of a day that has changed enough, or of all days before a new one. */
const rollUp = { day: z.string(), earlier: z.boolean() };

export type RollUp = Omit<RollUpMessage, 'domain'>;

/** The message of the queue `summaries`: what to roll up of a domain. */
export const rollUpMessage = z.object({ domain: domainReference, ...rollUp });

export type RollUpMessage = Readonly<z.infer<typeof rollUpMessage>>;

/**
 * After how many further reports the summaries of a day are rolled up: an eighth of its reports, within these limits.
 * Readers read fewer than that one by one, and the more reports a day has, the larger are its summaries.
 */
const FEWEST_PER_ROLL_UP = 8;
const MOST_PER_ROLL_UP = 32;

function isDue(reports: number): boolean {
  const eighth = 2 ** Math.floor(Math.log2(Math.max(1, reports / 8)));
  return reports % Math.min(MOST_PER_ROLL_UP, Math.max(FEWEST_PER_ROLL_UP, eighth)) === 0;
}

/** The read of the detail of a report's day. */
export const readOfDetail = (kind: ReportKind, domainId: string, begin: string): Read<DetailItem> => ({
  key: reportDetailKey(kind, domainId, dayOf(begin)),
  schema: detailItem,
});

/**
 * The two writes that change a day: its counters, and its detail. The condition of the second fails if the detail
 * changed since it was read.
 */
export function dayWrites(
  detail: DetailItem | undefined,
  change: DayChange,
): { readonly writes: readonly Write[]; readonly rollUp: RollUp | null } {
  const { kind, domainId, begin, expiring } = change;
  const day = dayOf(begin);
  const revision = detail?.revision ?? 0;
  const after = changed(detail?.body, change);
  return {
    writes: [
      { Update: { Key: reportDayKey(kind, domainId, day), ...addition(countersOf(change), setBy(change)) } },
      {
        Put: {
          Item: {
            ...reportDetailKey(kind, domainId, day),
            ...{ day, revision: revision + 1, body: pack(after), ...expiring },
          },
          ...unchangedSince(revision),
        },
      },
    ],
    rollUp: rollUpAfter(
      change,
      Object.values(after.parts).reduce((sum, [reports]) => sum + reports, 0),
    ),
  };
}

/** TLS reports have no summaries. */
const hasSummaries = ({ kind }: DayChange): boolean => kind === 'DMARC';

function countersOf(change: DayChange): Numbers {
  const { added, removed } = change;
  const numbers = difference(numbersOf(added), numbersOf(removed));
  return removed !== undefined && hasSummaries(change) ? { ...numbers, changed: 1 } : numbers;
}

function setBy(change: DayChange): Readonly<Record<string, unknown>> {
  const { begin, id, removed, expiring } = change;
  const isNew = removed === undefined && hasSummaries(change);
  return { day: dayOf(begin), ...expiring, ...(isNew && { [pendingAttribute(begin, id)]: true }) };
}

function rollUpAfter(change: DayChange, reports: number): RollUp | null {
  const day = dayOf(change.begin);
  if (!hasSummaries(change)) return null;
  if (change.removed !== undefined || isDue(reports)) return { day, earlier: false };
  return reports === 1 ? { day, earlier: true } : null;
}

/** Whether a report of this day was deleted. */
export const isDeleted = (detail: DetailItem | undefined, id: string): boolean =>
  detail?.body.deleted?.includes(id) === true;

/** How many deleted reports of a day are remembered: about 10 KB, which every further report of the day rewrites. */
const MOST_DELETED = 500;

function deletedAfter(detail: DayDetail | undefined, { id, isDeleted }: DayChange): readonly string[] {
  const others = (detail?.deleted ?? []).filter((other) => other !== id);
  return isDeleted === true ? [...others, id].slice(-MOST_DELETED) : others;
}

function changed(detail: DayDetail | undefined, change: DayChange): DayDetail {
  const { begin, id, added, removed } = change;
  const part = partOf(begin, id);
  const { reports = 0, passed = 0, failed = 0 } = difference(numbersOf(added), numbersOf(removed));
  const [oldReports, oldPassed, oldFailed] = detail?.parts[part] ?? [0, 0, 0];
  const sources = detail?.extra ?? null;
  const left = removed === undefined ? sources : removed.subtractFrom(sources);
  const deleted = deletedAfter(detail, change);
  return {
    parts: { ...detail?.parts, [part]: [oldReports + reports, oldPassed + passed, oldFailed + failed] },
    extra: added === undefined ? left : added.addTo(left),
    ...(deleted.length > 0 && { deleted }),
  };
}

type Numbers = Readonly<Record<string, number>>;

const numbersOf = (of: Pick<Contribution, 'tally' | 'counters'> | undefined): Numbers =>
  of === undefined ? {} : { reports: 1, ...of.tally, ...of.counters };

function difference(a: Numbers, b: Numbers): Numbers {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) - (b[name] ?? 0)]));
}

/** The update that adds numbers to an item and sets the other attributes. Removes the expiry if `set` has none. */
function addition(add: Numbers, set: Readonly<Record<string, unknown>>) {
  const remove = 'expiresAt' in set ? '' : ' REMOVE expiresAt';
  const added = Object.keys(add);
  const names = [...added, ...Object.keys(set)];
  const sum = added.map((_, at) => `#${at} :${at}`);
  const assign = names.flatMap((_, at) => (at < added.length ? [] : `#${at} = :${at}`));
  return {
    UpdateExpression: `ADD ${sum.join(', ')} SET ${assign.join(', ')}${remove}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name, at) => [`#${at}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      [...Object.values(add), ...Object.values(set)].map((value, at) => [`:${at}`, value]),
    ),
  };
}
