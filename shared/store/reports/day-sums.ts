/**
 * The writes that keep a day's sums consistent with its reports, for the transaction that adds or removes a report.
 */
import { pack } from '../item-schema.ts';
import { unchangedSince } from '../items.ts';
import { type ReportKind, reportDayKey, reportDetailKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { type DayDetail, dayOf, detailItem, partOf, type Tally } from './days.ts';
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
export interface DayChange {
  readonly kind: ReportKind;
  readonly domainId: string;
  readonly begin: string;
  readonly id: string;
  readonly added?: Contribution | undefined;
  readonly removed?: Contribution | undefined;
  /** The expiry of the day's items; absent if they are kept forever. */
  readonly expiring: { readonly expiresAt?: number };
}

/**
 * The two writes that change a day: its counters, and its detail. The condition of the second fails if the detail
 * changed since it was read.
 */
export async function dayWrites(table: Table, change: DayChange): Promise<Write[]> {
  const { kind, domainId, begin, added, removed, expiring } = change;
  const day = dayOf(begin);
  const key = reportDetailKey(kind, domainId, day);
  const detail = await table.get(key, detailItem);
  const revision = detail?.revision ?? 0;
  const body = pack(changed(detail?.body, change));
  const counted = difference(numbersOf(added), numbersOf(removed));
  return [
    {
      Update: {
        Key: reportDayKey(kind, domainId, day),
        ...addition(counted, { day, ...expiring }),
      },
    },
    {
      Put: {
        Item: { ...key, day, revision: revision + 1, body, ...expiring },
        ...unchangedSince(revision),
      },
    },
  ];
}

function changed(detail: DayDetail | undefined, { begin, id, added, removed }: DayChange): DayDetail {
  const part = partOf(begin, id);
  const { reports = 0, passed = 0, failed = 0 } = difference(numbersOf(added), numbersOf(removed));
  const [oldReports, oldPassed, oldFailed] = detail?.parts[part] ?? [0, 0, 0];
  const sources = detail?.extra ?? null;
  const left = removed === undefined ? sources : removed.subtractFrom(sources);
  return {
    parts: { ...detail?.parts, [part]: [oldReports + reports, oldPassed + passed, oldFailed + failed] },
    extra: added === undefined ? left : added.addTo(left),
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
  const names = [...Object.keys(add), ...Object.keys(set)];
  const sum = Object.keys(add).map((name) => `#${name} :${name}`);
  const assign = Object.keys(set).map((name) => `#${name} = :${name}`);
  return {
    UpdateExpression: `ADD ${sum.join(', ')} SET ${assign.join(', ')}${remove}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries({ ...add, ...set }).map(([name, value]) => [`:${name}`, value]),
    ),
  };
}
