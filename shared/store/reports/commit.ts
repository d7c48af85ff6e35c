/**
 * Storing a report once: however often it arrives, however many workers hold it at the same time, and wherever a crash
 * comes between two writes.
 *
 * Everything that counts is one transaction: the report's item, which must not be there yet, the counters of its day
 * and the detail of its day, on condition that the domain is still registered. So a report is either counted and
 * listed, or neither; and the deletion of a domain, which begins by removing the domain's item, finds everything that
 * was ever committed, since nothing can be committed after it. Rows that do not fit beside the header are written
 * before (`chunks.ts`). The detail of a day is read, changed and put back as it was read: reports of one day
 * that arrive at the same moment try again, some few times.
 *
 * A stored report gives way in two cases, likewise in one transaction: to another reading of the same raw message, for
 * readers get mended; and, where it has no records, to a report of the same identity that has some.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DmarcReportHeader, ReportIdentity, TlsReport } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domains.ts';
import { isRegistered } from '../domains/writes.ts';
import { type ReportKind, reportConflictKey, reportKey } from '../keys.ts';
import { ConditionsFailed, type Table, type TransactItems, transact } from '../table.ts';
import { reportChunks } from './chunks.ts';
import { type Contribution, dayWrites } from './day-sums.ts';
import { reportExpiry } from './days.ts';
import type { PackedRows } from './rows.ts';
import { type ReportItem, storedReports } from './stored-report.ts';

/**
 * `duplicate`: it is stored already, nothing changed. `conflict`: another report of the same identity is stored, and
 * this one is kept aside. `expired`: it is older than what is kept. `domain-gone`: nobody wants it any more.
 */
export type CommitStatus = 'stored' | 'duplicate' | 'conflict' | 'expired' | 'domain-gone';

export interface ReportToStore<Extra> {
  readonly kind: ReportKind;
  readonly domain: DomainReference;
  readonly identity: ReportIdentity;
  /** The report without its rows. */
  readonly report: DmarcReportHeader | Omit<TlsReport, 'policies'>;
  readonly arrival: Arrival;
  /** Whether it takes the place of a report that came with the same raw message, which is `stored` as well. */
  readonly mayReplace: boolean;
  readonly rows: PackedRows;
  readonly contribution: Contribution<Extra>;
  /** The same of a report that is stored. */
  readonly contributionOf: ContributionOf<Extra>;
}

export type ContributionOf<Extra> = (item: ReportItem, rows: Iterable<never>) => Contribution<Extra>;

/** How a report came. */
export interface Arrival {
  readonly receivedAt: Date;
  /** Whether the mail that brought it passed DMARC; null where that was not asked. */
  readonly authenticated: boolean | null;
  /** How many kinds of deviations were read past. */
  readonly warnings: number;
  /** The object that holds the raw message; null where none is kept. */
  readonly rawKey: string | null;
}

export interface StoreOptions {
  /** For how many days after the one on which its period begins a report is kept; 0 for good. */
  readonly retentionDays: number;
}

/** How often a commit is tried when other reports of the same day come in between. */
const ATTEMPTS = 30;

/** What a report is known by: a UUID (version 8, RFC 9562 section 5.8) made of the domain and what identifies it. */
export function reportUuid(kind: ReportKind, domainId: string, { key }: ReportIdentity): string {
  const digest = createHash('sha256').update(`${kind} ${domainId} ${key}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** When a report begins, as its key has it. */
export const keyTime = (dateRangeBegin: string): string => new Date(dateRangeBegin).toISOString();

/** Stores a report; see above. Throws what DynamoDB throws; trying again is always right. */
export async function commitReport<Extra>(
  table: Table,
  given: ReportToStore<Extra>,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<CommitStatus> {
  const { kind, domain, identity, arrival, rows, contribution, contributionOf, mayReplace } = given;
  const id = reportUuid(kind, domain.id, identity);
  const begin = keyTime(given.report.dateRangeBegin);
  const expiresAt = reportExpiry(begin, retentionDays, now);
  if (expiresAt !== undefined && expiresAt <= now.getTime() / 1000) return 'expired';

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
  const item = {
    ...facts,
    ...expiring,
    rows: rows.rows,
    rowOctets: rows.octets,
    rowContent: rows.content,
    rowChunks: rows.chunks.length,
    ...(rows.chunks.length === 0 ? { inline: rows.inline } : { unsettled: true }),
  };

  let hasWritten = false;
  for (let attempt = 1; ; attempt += 1) {
    const other = await stored.read(itemKey);
    if (other !== undefined) {
      await stored.settle(itemKey, other);
      const verdict = verdictOn(other);
      if (verdict !== 'replace') {
        if (other.rowContent !== rows.content) await stored.removeRows(item);
        return verdict === 'conflict' ? setAside() : verdict;
      }
    }
    if (!hasWritten) {
      await reportChunks(table).write(
        { kind, domainId: domain.id, id, content: rows.content },
        rows.chunks,
        now,
      );
      hasWritten = true;
    }
    const isLeft = other !== undefined && other.rowContent !== rows.content;
    try {
      const goes = other && contributionOf(other, await stored.rowsOf<never>(other));
      if (isLeft) await stored.loosen(itemKey, other, now);
      const day = await dayWrites(table, {
        ...{ kind, domainId: domain.id, begin, id, expiring, goes },
        comes: contribution,
      });
      await transact(table, [isRegistered(table, domain), ...ownWrites(other), ...day]);
    } catch (error) {
      if (!(error instanceof ConditionsFailed)) throw error;
      if (error.failed.has(0)) {
        await stored.removeRows(item);
        return 'domain-gone';
      }
      if (attempt === ATTEMPTS) throw error;
      if (!error.failed.has(1)) await sleep(Math.random() * Math.min(1000, 10 * 2 ** attempt));
      continue;
    }
    await stored.settle(itemKey, item);
    if (isLeft) await stored.removeRows(other);
    return 'stored';
  }

  /** What becomes of the report where one of its identity is stored. */
  function verdictOn(other: ReportItem): 'stored' | 'duplicate' | 'conflict' | 'replace' {
    if (mayReplace && other.rawKey === arrival.rawKey) {
      const isSame = other.rowContent === rows.content && isDeepStrictEqual(factsOf(other), factsOf(facts));
      return isSame ? 'stored' : 'replace';
    }
    if (other.contentHash === identity.contentHash) return 'duplicate';
    return other.rows === 0 && rows.rows > 0 ? 'replace' : 'conflict';
  }

  function ownWrites(other: ReportItem | undefined): TransactItems {
    const Item = { ...itemKey, ...item };
    if (other === undefined)
      return [{ Put: { TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(pk)' } }];
    const aside = (contentHash: unknown) => ({
      ...reportConflictKey(kind, domain.id, id, String(contentHash)),
    });
    return [
      {
        Put: {
          TableName: table.name,
          Item,
          ConditionExpression: 'rowContent = :rows',
          ExpressionAttributeValues: { ':rows': other.rowContent },
        },
      },
      // It may have been kept aside before.
      { Delete: { TableName: table.name, Key: aside(identity.contentHash) } },
      ...(other.rawKey === arrival.rawKey
        ? []
        : [
            {
              Put: {
                TableName: table.name,
                Item: { ...aside(other.contentHash), ...factsOf(other), ...expiring },
              },
            },
          ]),
    ];
  }

  async function setAside(): Promise<CommitStatus> {
    const Item = { ...reportConflictKey(kind, domain.id, id, identity.contentHash), ...facts, ...expiring };
    try {
      await transact(table, [
        isRegistered(table, domain),
        { Put: { TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(pk)' } },
      ]);
    } catch (error) {
      if (!(error instanceof ConditionsFailed)) throw error;
      if (error.failed.has(0)) return 'domain-gone';
    }
    return 'conflict';
  }
}

/** What an item says of a report beside its rows, and what is kept of one that is set aside. */
interface ReportFacts {
  readonly id: string;
  readonly contentHash: string;
  readonly report: object;
  readonly receivedAt: string;
  readonly authenticated: boolean | null;
  readonly warnings: number;
  readonly rawKey: string | null;
  readonly passed: number;
  readonly failed: number;
}

function factsOf(item: ReportItem | ReportFacts) {
  const { id, contentHash, report, receivedAt, authenticated, warnings, rawKey, passed, failed } =
    item as ReportFacts;
  return { id, contentHash, report, receivedAt, authenticated, warnings, rawKey, passed, failed };
}
