/**
 * Stores a report exactly once, however often it arrives, however many workers read it concurrently, and wherever a
 * worker crashes between two writes.
 *
 * One transaction contains everything that counts: the report's item, which must not exist yet, the counters of its
 * day, the detail of its day, and the condition that the domain is still registered. A report is therefore either
 * counted and listed, or neither. Deleting a domain starts by removing the domain's item; nothing can be committed
 * after that, so the deletion finds everything. Rows that do not fit beside the header are written first (`chunks.ts`).
 * The detail of a day is replaced only if it did not change since it was read; concurrent reports of the same day
 * retry.
 *
 * A stored report is replaced in three cases, also in one transaction: by a new reading of the same raw message, because
 * readers get fixed; by one of the same identity whose mail is authenticated if its own is not, so that a forged copy that
 * arrives first does not keep the genuine one out; and, if it has no records, by one that has some.
 *
 * The transaction also contains what the caller writes because of the report, such as its alerts (`TransactionPart`). One
 * request reads all that it depends on, so a new report costs two requests. The first read of a new report may be
 * eventually consistent, which costs half: the conditions of the writes fail if it was behind, and then it is repeated.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DmarcReportHeader, ReportIdentity, TlsReportHeader } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { ABSENT, ConditionsFailed } from '../items.ts';
import { type ReportKind, reportConflictKey, reportKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import type { TransactionPart } from '../transaction-part.ts';
import { RowsMissing, reportChunks } from './chunks.ts';
import { type Contribution, dayWrites, isDeleted, type RollUp, readOfDetail } from './day-sums.ts';
import { reportExpiry } from './days.ts';
import type { PackedRows } from './rows.ts';
import {
  attributesOf,
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
  readonly status: CommitStatus;
  /** Whether the report was stored by this call, together with what was written alongside. */
  readonly isWritten: boolean;
  /** Whether the summaries of its day should be rolled up now. */
  readonly rollUp: RollUp | null;
}

export interface ReportToStore {
  readonly kind: ReportKind;
  readonly domain: DomainReference;
  readonly identity: ReportIdentity;
  /** The report without its rows. */
  readonly report: DmarcReportHeader | TlsReportHeader;
  readonly arrival: Arrival;
  /** Whether it replaces an earlier report from the same raw message; the status is then also `stored`. */
  readonly mayReplace: boolean;
  /** Whether it is stored although its owner deleted it. */
  readonly restoresDeleted: boolean;
  readonly rows: PackedRows;
  readonly contribution: Contribution;
  /** Calculates the contribution of a report that is already stored. */
  readonly contributionOf: ContributionOf;
  readonly alongside: TransactionPart;
}

export type ContributionOf = (rows: Iterable<never>) => Contribution;

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

export interface StoreOptions {
  /** How many days a report is kept after the day on which its period begins; 0 means forever. */
  readonly retentionDays: number;
}

/** How often a commit is retried after concurrent reports of the same day. */
const ATTEMPTS = 30;

/** The id of a report: a UUID (version 8, RFC 9562 section 5.8) derived from the domain and the report's identity. */
export function reportUuid(kind: ReportKind, domainId: string, { key }: ReportIdentity): string {
  const digest = createHash('sha256').update(`${kind} ${domainId} ${key}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** The begin of a report in the form that its key uses. */
export const keyTime = (dateRangeBegin: string): string => new Date(dateRangeBegin).toISOString();

const backOff = (attempt: number): Promise<void> => sleep(Math.random() * Math.min(1000, 10 * 2 ** attempt));

const without = (status: CommitStatus): CommitOutcome => ({ status, isWritten: false, rollUp: null });

/** Stores a report as described above. Throws what DynamoDB throws; retrying is always safe. */
export async function commitReport(
  table: Table,
  given: ReportToStore,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<CommitOutcome> {
  const { kind, domain, identity, arrival, rows, contribution, contributionOf, mayReplace, alongside } =
    given;
  const { restoresDeleted } = given;
  const id = reportUuid(kind, domain.id, identity);
  const begin = keyTime(given.report.dateRangeBegin);
  const expiresAt = reportExpiry(begin, retentionDays);
  if (expiresAt !== undefined && expiresAt <= now.getTime() / 1000) return without('expired');

  const expiring = expiresAt === undefined ? {} : { expiresAt };
  const itemKey = reportKey(kind, domain.id, begin, id);
  const stored = storedReports(table, kind, domain.id);
  const facts: ReportFacts = {
    id,
    contentHash: identity.contentHash,
    report: { ...given.report, dateRangeBegin: begin },
    ...arrival,
    receivedAt: arrival.receivedAt.toISOString(),
    ...contribution.tally,
  };
  const item: ReportItem = {
    ...facts,
    ...expiring,
    rows: rows.rows,
    rowOctets: rows.octets,
    rowContent: rows.rowsHash,
    rowChunks: rows.chunks.length,
    inline: rows.inline,
    ...(rows.chunks.length > 0 && { unsettled: true }),
  };
  const reads = [readOfReport(itemKey), readOfDetail(kind, domain.id, begin)] as const;

  let hasWritten = false;
  let isConsistent = false;
  for (let attempt = 1; ; attempt += 1) {
    const found = await table.getMany([...reads, ...alongside.reads], { isConsistent });
    const other = found.of(reads[0]);
    const wasDeleted = isDeleted(found.of(reads[1]), id);
    if (!isConsistent && (other !== undefined || wasDeleted)) {
      isConsistent = true;
      continue;
    }
    isConsistent = true;
    if (other !== undefined) {
      await stored.settle(itemKey, other);
      const verdict = verdictOn(other);
      if (verdict !== 'replace') {
        if (other.rowContent !== rows.rowsHash) await stored.removeRows(item);
        return without(verdict === 'conflict' ? await storeConflict() : verdict);
      }
    }
    if (other === undefined && !restoresDeleted && wasDeleted) {
      if (hasWritten) await stored.removeRows(item);
      return without('deleted');
    }
    if (!hasWritten) {
      await reportChunks(table).write(
        { kind, domainId: domain.id, id, rowsHash: rows.rowsHash },
        rows.chunks,
        now,
      );
      hasWritten = true;
    }
    const hasOtherRows = other !== undefined && other.rowContent !== rows.rowsHash;
    let removed: ReturnType<typeof contributionOf> | undefined;
    try {
      removed = other && contributionOf(await stored.rowsOf<never>(other));
    } catch (error) {
      // Another worker replaced the report after it was read.
      if (!(error instanceof RowsMissing) || attempt === ATTEMPTS) throw error;
      await backOff(attempt);
      continue;
    }
    if (hasOtherRows) await stored.unsettle(itemKey, other, now);
    const { writes, rollUp } = dayWrites(found.of(reads[1]), {
      ...{ kind, domainId: domain.id, begin, id, expiring, removed },
      added: contribution,
    });
    const failed = await table.tryTransact([
      isRegistered(domain),
      ...ownWrites(other),
      ...writes,
      ...alongside.writes(found),
    ]);
    if (failed.size === 0) {
      await stored.settle(itemKey, item);
      if (hasOtherRows) await stored.removeRows(other);
      return { status: 'stored', isWritten: true, rollUp };
    }
    if (failed.has(0)) {
      await stored.removeRows(item);
      return without('domain-gone');
    }
    if (attempt === ATTEMPTS) throw new ConditionsFailed(failed);
    if (!failed.has(1)) await backOff(attempt);
  }

  /** What to do with the report if one with the same identity is stored. */
  function verdictOn(other: ReportItem): 'stored' | 'duplicate' | 'conflict' | 'replace' {
    if (mayReplace && other.rawKey === arrival.rawKey) {
      const isSame = other.rowContent === rows.rowsHash && isDeepStrictEqual(factsOf(other), factsOf(facts));
      return isSame ? 'stored' : 'replace';
    }
    if (arrival.authenticated === true && other.authenticated !== true) return 'replace';
    if (other.contentHash === identity.contentHash) return 'duplicate';
    return other.rows === 0 && rows.rows > 0 ? 'replace' : 'conflict';
  }

  function ownWrites(other: ReportItem | undefined): Write[] {
    const Item = { ...itemKey, ...attributesOf(item) };
    if (other === undefined) return [{ Put: { Item, ...ABSENT } }];
    const conflictKey = (contentHash: string) => reportConflictKey(kind, domain.id, id, contentHash);
    return [
      {
        Put: {
          Item,
          ConditionExpression: 'rowContent = :rows',
          ExpressionAttributeValues: { ':rows': other.rowContent },
        },
      },
      // It may have been stored as a conflict before.
      { Delete: { Key: conflictKey(identity.contentHash) } },
      ...(other.rawKey === arrival.rawKey || other.contentHash === identity.contentHash
        ? []
        : [{ Put: { Item: { ...conflictKey(other.contentHash), ...factsOf(other), ...expiring } } }]),
    ];
  }

  async function storeConflict(): Promise<CommitStatus> {
    const Item = { ...reportConflictKey(kind, domain.id, id, identity.contentHash), ...facts, ...expiring };
    const failed = await table.tryTransact([isRegistered(domain), { Put: { Item, ...ABSENT } }]);
    return failed.has(0) ? 'domain-gone' : 'conflict';
  }
}
