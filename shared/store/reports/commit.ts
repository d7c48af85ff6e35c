/**
 * Stores a report exactly once, however often it arrives, however many workers read it concurrently, and wherever a
 * worker crashes between two writes.
 *
 * One transaction contains everything that counts: the report's item, the sums of its day with a note that it waits for the
 * roll-up (`days.ts`), the condition that the domain is still registered, and what the caller writes because of the report,
 * such as its alerts (`TransactionPart`). A report is therefore either counted and listed, or neither. Deleting a domain
 * starts by removing the domain's item; nothing can be committed after that, so the deletion finds everything. Rows that do
 * not fit beside the header are written first (`stored-report.ts`).
 *
 * The conditions of the transaction are about the report itself, so other reports of its day never make it fail: it must not
 * be stored yet, and its owner must not have deleted it. A deletion leaves an item; while no report of the day was ever
 * deleted, the item of the day says so, and that costs nothing.
 *
 * A stored report is replaced in three cases, also in one transaction: by a new reading of the same raw message, because
 * readers get fixed; by one of the same identity whose mail is authenticated if its own is not, so that a forged copy that
 * arrives first does not keep the genuine one out; and, if it has no records, by one that has some.
 *
 * One request reads all that the transaction depends on, so a new report costs two requests. The first read may be
 * eventually consistent, which costs half: the conditions of the writes fail if it was behind, and then it is repeated.
 *
 * The reports of an archive share these two requests: see `commitReports`.
 *
 * Longer than 350 lines: one transaction, with the reasons for its conditions.
 */

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { DmarcReportHeader, ReportIdentity, TlsReportHeader } from '../../reports/report.ts';
import { having } from '../changes.ts';
import { untilUncontended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { ABSENT, type Found, type Read } from '../items.ts';
import { deletedReportKey, type Key, type ReportKind, reportConflictKey, reportDayKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { combine, type TransactionPart } from '../table.ts';
import {
  type Counts,
  dayItem,
  dayOf,
  dayUpdate,
  isDueInArchive,
  type RollUp,
  reportExpiry,
  rollUpAfter,
  type StoredDay,
} from './days.ts';
import type { PackedRows } from './rows.ts';
import {
  attributesOf,
  countsOf,
  factsOf,
  type ReportFacts,
  type ReportItem,
  readOfReport,
  storedReports,
} from './stored-report.ts';

/**
 * `duplicate`: already stored, nothing changed. `conflict`: another report with the same identity is stored, and this
 * one is stored as a conflict. `deleted`: its owner deleted it. `expired`: older than the retention period.
 * `domain-gone`: the domain was removed.
 */
type CommitStatus = 'stored' | 'duplicate' | 'conflict' | 'deleted' | 'expired' | 'domain-gone';

export interface CommitOutcome {
  /** The id of the report, whatever became of it. */
  readonly id: string;
  readonly status: CommitStatus;
  /** Whether the report was stored by this call, together with what was written alongside. */
  readonly isWritten: boolean;
  /** What should be rolled up now. */
  readonly rollUp: RollUp | null;
}

/** How a report arrived. */
export interface Arrival {
  readonly receivedAt: Date;
  /** Whether the mail passed DMARC; null if that was not evaluated. */
  readonly authenticated: boolean | null;
  /** The domain in its From field, if that is authenticated. */
  readonly authenticatedDomain?: string;
  /** The number of kinds of deviations that the reader tolerated. */
  readonly warnings: number;
  /** The object that holds the raw message; null if none is stored. */
  readonly rawKey: string | null;
}

/** What is known about a report when it is about to be stored. */
export interface StoredCounts extends Pick<Counts, 'passed' | 'failed'> {
  readonly id: string;
  /** Whether the transaction stores all of it. If not, chunks of rows have to be made final afterwards. */
  readonly isWhole: boolean;
}

/** The identity of a report, how it arrived, and what depends on it. */
export interface ReceivedReport {
  readonly identity: ReportIdentity;
  readonly arrival: Arrival;
  /** Whether it replaces an earlier report from the same raw message; the status is then also `stored`. */
  readonly mayReplace?: boolean;
  /** Whether it is stored although its owner deleted it; by default, it is not. */
  readonly restoresDeleted?: boolean;
  /** What is written in the transaction that stores it. */
  readonly alongside?: (counts: StoredCounts) => TransactionPart;
}

/** A report without its rows, its packed rows, and what it counts. */
export interface ReportContent {
  readonly report: DmarcReportHeader | TlsReportHeader;
  readonly rows: PackedRows;
  readonly counts: Counts;
}

/** A report that is to be stored. */
export interface NewReport {
  readonly received: ReceivedReport;
  readonly content: ReportContent;
}

export interface StoreOptions {
  /** How many days a report is kept after the day on which its period begins; 0 means forever. */
  readonly retentionDays: number;
}

/** The id of a report: a UUID (version 8, RFC 9562 section 5.8) derived from the domain and the report's identity. */
export function reportUuid(kind: ReportKind, domainId: string, { key }: ReportIdentity): string {
  const digest = createHash('sha256').update(`${kind} ${domainId} ${key}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** The begin of a report in the form that its key uses. */
export const keyTime = (dateRangeBegin: string): string => new Date(dateRangeBegin).toISOString();

/** That its owner deleted a report. */
const deletedItem = z.object({ sk: z.string() });

/** What is stored of a report, and where. */
interface MadeReport {
  readonly id: string;
  readonly begin: string;
  readonly expiresAt: number | undefined;
  readonly item: ReportItem;
  readonly facts: ReportFacts;
  /** The reads of the report that is stored already, and of its day. */
  readonly own: ReturnType<typeof readOfReport>;
  readonly day: Read<StoredDay>;
}

function makeReport(
  kind: ReportKind,
  domainId: string,
  { received: { identity, arrival }, content: { report, rows, counts } }: NewReport,
  { retentionDays }: StoreOptions,
): MadeReport {
  const { passed, failed, ...counters } = counts;
  const id = reportUuid(kind, domainId, identity);
  const begin = keyTime(report.dateRangeBegin);
  const expiresAt = reportExpiry(begin, retentionDays);
  const { chunks, ...packed } = rows;
  const facts: ReportFacts = {
    id,
    contentHash: identity.contentHash,
    report: { ...report, dateRangeBegin: begin },
    ...arrival,
    receivedAt: arrival.receivedAt.toISOString(),
    ...{ passed, failed, counters },
  };
  const item: ReportItem = {
    ...{ ...facts, begin, expiresAt, ...packed },
    rowChunks: chunks.length,
    chunksPending: chunks.length > 0 ? true : undefined,
  };
  const day = { key: reportDayKey(kind, domainId, dayOf(begin)), schema: dayItem };
  return { id, begin, expiresAt, item, facts, own: readOfReport(kind, domainId, item), day };
}

const isExpired = ({ expiresAt }: Pick<MadeReport, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== undefined && expiresAt <= now.getTime() / 1000;

const notWritten = (id: string, status: CommitStatus): CommitOutcome => ({
  ...{ id, status, isWritten: false, rollUp: null },
});

const hasDeletions = (day: StoredDay | undefined): boolean => (day?.deletions ?? 0) > 0;

/** How many reports are stored together at most: DynamoDB reads 100 items, or writes 100, with a day for each report. */
export const MOST_TOGETHER = 49;

/**
 * Stores up to MOST_TOGETHER reports of a kind that have different ids, with what belongs to all of them. Those that are new are stored
 * by one transaction, in which each day occurs once. If it is not as simple, each report is stored by itself, with its own
 * `alongside`.
 */
export async function commitReports(
  table: Table,
  kind: ReportKind,
  domain: DomainReference,
  all: readonly NewReport[],
  options: StoreOptions & { now: Date },
  alongside: TransactionPart,
): Promise<CommitOutcome[]> {
  const made = all.map((one) => makeReport(kind, domain.id, one, options));
  const days = [...Map.groupBy(made, ({ begin }) => dayOf(begin))];
  const readsOfDays = days.flatMap(([, [first]]) => first?.day ?? []);
  const found = await table.getMany([...made.map(({ own }) => own), ...readsOfDays, ...alongside.reads], {
    isConsistent: false,
  });
  const isSimple =
    made.every((one) => one.item.rowChunks === 0 && !isExpired(one, options.now)) &&
    made.every(({ own }) => found.of(own) === undefined) &&
    readsOfDays.every((day) => !hasDeletions(found.of(day)));
  if (isSimple) {
    const failures = await table.tryTransact([
      isRegistered(domain),
      ...made.map(({ own, item }) => newReport(own.key, item)),
      ...days.map(([day, some]) => {
        const change = { kind, domainId: domain.id, expiresAt: some[0]?.expiresAt, ifNoneDeleted: true };
        const reports = some.map(({ begin, id, facts }) => ({ begin, id, after: countsOf(facts) }));
        return dayUpdate(day, reports, change);
      }),
      ...alongside.writes(found),
    ]);
    if (failures.size === 0) {
      const due = new Set(
        days.flatMap(([, some]) =>
          some[0] !== undefined && isDueInArchive(found.of(some[0].day), some.length) ? [some[0]] : [],
        ),
      );
      return made.map((one) => {
        const rollUp = due.has(one) ? { kind, day: dayOf(one.begin), earlier: false } : null;
        return { id: one.id, status: 'stored', isWritten: true, rollUp };
      });
    }
  }
  const outcomes: CommitOutcome[] = [];
  for (const one of all) outcomes.push(await commitReport(table, kind, domain, one, options));
  return outcomes;
}

const newReport = (key: Key, item: ReportItem): Write => ({
  Put: { Item: { ...key, ...attributesOf(item) }, ...ABSENT },
});

/** Stores a report as described above. Throws what DynamoDB throws; retrying is always safe. */
export async function commitReport(
  table: Table,
  kind: ReportKind,
  domain: DomainReference,
  report: NewReport,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<CommitOutcome> {
  const { received, content } = report;
  const { identity, arrival, mayReplace = false, restoresDeleted = false } = received;
  const { rows, counts } = content;
  const made = makeReport(kind, domain.id, report, { retentionDays });
  const { id, begin, expiresAt, item, facts, own, day } = made;
  if (isExpired(made, now)) return notWritten(id, 'expired');

  const { passed, failed } = counts;
  const { chunks } = rows;
  const isWhole = chunks.length === 0;
  const stored = storedReports(table, kind, domain.id);
  const deleted = { key: deletedReportKey(kind, domain.id, id), schema: deletedItem };
  const alongside = received.alongside?.({ id, passed, failed, isWhole }) ?? combine([]);
  const reads = [own, day, ...alongside.reads];
  let hasWritten = false;
  let isFirst = true;
  return untilUncontended(attempt);

  /** The first read is only good for a report that is new, on a day without deletions. */
  async function read(): Promise<Found> {
    if (isFirst) {
      isFirst = false;
      const found = await table.getMany(reads, { isConsistent: false });
      if (found.of(own) === undefined && !hasDeletions(found.of(day))) return found;
    }
    return table.getMany([...reads, deleted]);
  }

  /** Undefined if something else changed what was read. */
  async function attempt(): Promise<CommitOutcome | undefined> {
    const found = await read();
    const other = found.of(own);
    if (other !== undefined) {
      await stored.finalize(other);
      const verdict = verdictOn(other);
      if (verdict !== 'replace') {
        if (other.rowContent !== item.rowContent) await stored.removeRows(item);
        return notWritten(id, verdict === 'conflict' ? await storeConflict() : verdict);
      }
    } else if (found.of(deleted) !== undefined && !restoresDeleted) {
      if (hasWritten) await stored.removeRows(item);
      return notWritten(id, 'deleted');
    }
    if (!hasWritten) await stored.writeRows(item, chunks, now);
    hasWritten = true;
    const hasOtherRows = other !== undefined && other.rowContent !== item.rowContent;
    if (hasOtherRows) await stored.makePending(other, now);
    const failures = await table.tryTransact([
      isRegistered(domain),
      ...ownWrites(other),
      ...dayWrites(other, found),
      ...alongside.writes(found),
    ]);
    if (failures.has(0)) {
      await stored.removeRows(item);
      return notWritten(id, 'domain-gone');
    }
    if (failures.size > 0) return undefined;
    await stored.finalize(item);
    if (hasOtherRows) await stored.removeRows(other);
    const rollUp = rollUpAfter({ kind, begin, before: other && countsOf(other) }, found.of(day));
    return { id, status: 'stored', isWritten: true, rollUp };
  }

  /** What to do with the report if one with the same identity is stored. */
  function verdictOn(other: ReportItem): 'stored' | 'duplicate' | 'conflict' | 'replace' {
    if (mayReplace && other.rawKey === arrival.rawKey) {
      const isSame =
        other.rowContent === item.rowContent && isDeepStrictEqual(factsOf(other), factsOf(facts));
      return isSame ? 'stored' : 'replace';
    }
    if (arrival.authenticated === true && other.authenticated !== true) return 'replace';
    if (other.contentHash === identity.contentHash) return 'duplicate';
    return other.rows === 0 && rows.rows > 0 ? 'replace' : 'conflict';
  }

  function ownWrites(other: ReportItem | undefined): Write[] {
    if (other === undefined) return [newReport(own.key, item)];
    const Item = { ...own.key, ...attributesOf(item) };
    const conflictKey = (contentHash: string) => reportConflictKey(kind, domain.id, id, contentHash);
    return [
      {
        Put: { Item, ...having({ rowContent: other.rowContent, rawKey: other.rawKey }) },
      },
      // It may have been stored as a conflict before.
      { Delete: { Key: conflictKey(identity.contentHash) } },
      ...(other.rawKey === arrival.rawKey || other.contentHash === identity.contentHash
        ? []
        : [{ Put: { Item: { ...conflictKey(other.contentHash), ...factsOf(other), expiresAt } } }]),
    ];
  }

  function dayWrites(other: ReportItem | undefined, found: Found): Write[] {
    const before = other && countsOf(other);
    const ifNoneDeleted = other === undefined && !hasDeletions(found.of(day));
    const change = { kind, domainId: domain.id, expiresAt, ifNoneDeleted };
    const notDeleted: Write = restoresDeleted
      ? { Delete: { Key: deleted.key } }
      : { ConditionCheck: { Key: deleted.key, ...ABSENT } };
    return [
      dayUpdate(dayOf(begin), [{ begin, id, before, after: counts }], change),
      ...(other === undefined && !ifNoneDeleted ? [notDeleted] : []),
    ];
  }

  async function storeConflict(): Promise<CommitStatus> {
    const Item = { ...reportConflictKey(kind, domain.id, id, identity.contentHash), ...facts, expiresAt };
    const failures = await table.tryTransact([isRegistered(domain), { Put: { Item, ...ABSENT } }]);
    return failures.has(0) ? 'domain-gone' : 'conflict';
  }
}
