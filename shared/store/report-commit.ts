/**
 * Storing a report once: however often it arrives, however many workers hold it at the same time, and wherever a crash
 * comes between two writes.
 *
 * Everything that counts is one transaction: the report's item, which must not be there yet, the counters of its day
 * and the detail of its day, on condition that the domain is still registered. So a report is either counted and
 * listed, or neither; and the deletion of a domain, which begins by removing the domain's item, finds everything that
 * was ever committed, since nothing can be committed after it. Rows that do not fit beside the header are written
 * before (`report-chunks.ts`). The detail of a day is read, changed and put back as it was read: reports of one day
 * that arrive at the same moment try again, some few times.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DmarcReportHeader, ReportIdentity, TlsReport } from '../reports/report.ts';
import type { Domain } from './domains.ts';
import {
  domainKey,
  type Key,
  type ReportKind,
  reportConflictKey,
  reportDayKey,
  reportDetailKey,
  reportKey,
} from './keys.ts';
import { reportChunks } from './report-chunks.ts';
import { type DayDetail, dayOf, expiryOf, partOf, readDetail, type Tally } from './report-days.ts';
import type { PackedRows } from './report-rows.ts';
import { ConditionsFailed, conditionFailed, type Table, type TransactItems, transact } from './table.ts';

/**
 * `duplicate`: it is stored already, nothing changed. `conflict`: another report of the same identity is stored, and
 * this one is kept aside. `expired`: it is older than what is kept. `domain-gone`: nobody wants it any more.
 */
export type CommitStatus = 'stored' | 'duplicate' | 'conflict' | 'expired' | 'domain-gone';

/** What a report's item holds; times in ISO form. */
export type ReportItem = Readonly<Record<string, unknown>>;

export interface ReportToStore<Extra> {
  readonly kind: ReportKind;
  readonly domain: Pick<Domain, 'id' | 'organization'>;
  readonly identity: ReportIdentity;
  /** The report without its rows. */
  readonly report: DmarcReportHeader | Omit<TlsReport, 'policies'>;
  readonly arrival: Arrival;
  readonly rows: PackedRows;
  readonly tally: Omit<Tally, 'reports'>;
  /** Further numbers that a day sums up. */
  readonly dayCounters: Readonly<Record<string, number>>;
  /** Adds the report to what else is kept of its day. */
  readonly addToDay: (extra: Extra | undefined) => Extra;
}

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

/** Item layout version; code reads every version up to its own. */
const VERSION = 1;

/** How often a commit is tried when other reports of the same day come in between. */
const ATTEMPTS = 30;

/** What a report is known by: a UUID (version 8, RFC 9562 section 5.8) made of the domain and what identifies it. */
export function reportUuid(kind: ReportKind, domainId: string, { key }: ReportIdentity): string {
  const digest = createHash('sha256').update(`${kind} ${domainId} ${key}`).digest();
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** Stores a report; see above. Throws what DynamoDB throws; trying again is always right. */
export async function commitReport<Extra>(
  table: Table,
  { kind, domain, identity, report, arrival, rows, tally, dayCounters, addToDay }: ReportToStore<Extra>,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<CommitStatus> {
  const id = reportUuid(kind, domain.id, identity);
  const begin = new Date(report.dateRangeBegin).toISOString();
  const day = dayOf(begin);
  const expiresAt = expiryOf(day, retentionDays);
  if (expiresAt !== undefined && expiresAt <= now.getTime() / 1000) return 'expired';

  const expiring = expiresAt === undefined ? {} : { expiresAt };
  const itemKey = reportKey(kind, domain.id, begin, id);
  const detailKey = reportDetailKey(kind, domain.id, day);
  const chunks = reportChunks(table);
  const own = { kind, domainId: domain.id, id, content: rows.content };
  const domainIsThere = {
    ConditionCheck: {
      TableName: table.name,
      Key: { ...domainKey(domain.organization, domain.id) },
      ConditionExpression: 'attribute_exists(pk)',
    },
  };
  const facts = {
    version: VERSION,
    id,
    contentHash: identity.contentHash,
    report: { ...report, dateRangeBegin: begin },
    ...arrival,
    receivedAt: arrival.receivedAt.toISOString(),
    ...tally,
    ...expiring,
  };

  const known = await read(itemKey);
  if (known !== undefined) return arrivedAgain(known);
  await chunks.write(own, rows.chunks, now);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await transact(table, commitment(await read(detailKey)));
      break;
    } catch (error) {
      if (!(error instanceof ConditionsFailed)) throw error;
      if (error.failed.has(0)) {
        await chunks.remove(own, rows.chunks.length);
        return 'domain-gone';
      }
      const other = error.failed.has(1) ? await read(itemKey) : undefined;
      if (other !== undefined) return arrivedAgain(other);
      if (attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * Math.min(1000, 10 * 2 ** attempt));
    }
  }
  if (rows.chunks.length > 0) await settle(own, rows.chunks.length, expiresAt);
  return 'stored';

  function commitment(detail: ReportItem | undefined): TransactItems {
    const revision = Number(detail?.revision ?? 0);
    const item = {
      ...itemKey,
      ...facts,
      rows: rows.rows,
      rowOctets: rows.octets,
      rowContent: rows.content,
      rowChunks: rows.chunks.length,
      ...(rows.chunks.length === 0 ? { inline: rows.inline } : { unsettled: true }),
    };
    const counted = { reports: 1, ...tally, ...dayCounters };
    return [
      domainIsThere,
      { Put: { TableName: table.name, Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
      {
        Update: {
          TableName: table.name,
          Key: { ...reportDayKey(kind, domain.id, day) },
          ...addition(counted, { version: VERSION, day, ...expiring }),
        },
      },
      {
        Put: {
          TableName: table.name,
          Item: {
            ...detailKey,
            version: VERSION,
            day,
            revision: revision + 1,
            body: changed(detail),
            ...expiring,
          },
          ConditionExpression: revision === 0 ? 'attribute_not_exists(pk)' : 'revision = :revision',
          ...(revision === 0 ? {} : { ExpressionAttributeValues: { ':revision': revision } }),
        },
      },
    ];
  }

  function changed(item: ReportItem | undefined): Uint8Array {
    const detail = item && readDetail<Extra>(item.body as Uint8Array);
    const part = partOf(begin, id);
    const [reports, passed, failed] = detail?.parts[part] ?? [0, 0, 0];
    const next: DayDetail<Extra> = {
      parts: { ...detail?.parts, [part]: [reports + 1, passed + tally.passed, failed + tally.failed] },
      extra: addToDay(detail?.extra),
    };
    return gzipSync(JSON.stringify(next));
  }

  /** A report of this identity is stored: the same once more, or one that contradicts it. */
  async function arrivedAgain(other: ReportItem): Promise<CommitStatus> {
    const stored = { ...own, content: String(other.rowContent) };
    if (other.unsettled === true) {
      await settle(stored, Number(other.rowChunks), other.expiresAt as number | undefined);
    }
    if (stored.content !== own.content) await chunks.remove(own, rows.chunks.length);
    if (other.contentHash === identity.contentHash) return 'duplicate';
    const aside = { ...reportConflictKey(kind, domain.id, id, identity.contentHash), ...facts };
    try {
      await transact(table, [
        domainIsThere,
        { Put: { TableName: table.name, Item: aside, ConditionExpression: 'attribute_not_exists(pk)' } },
      ]);
    } catch (error) {
      if (!(error instanceof ConditionsFailed)) throw error;
      if (error.failed.has(0)) return 'domain-gone';
    }
    return 'conflict';
  }

  async function settle(of: typeof own, count: number, expiry: number | undefined): Promise<void> {
    await chunks.settle(of, count, expiry);
    try {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: itemKey,
          UpdateExpression: 'REMOVE unsettled',
          ConditionExpression: 'attribute_exists(pk)',
        }),
      );
    } catch (error) {
      if (!conditionFailed(error)) throw error;
    }
  }

  async function read(Key: Key): Promise<ReportItem | undefined> {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
    );
    return Item;
  }
}

/** The update that adds numbers to an item and sets the rest; without an expiry in it, there is none any more. */
function addition(add: Readonly<Record<string, number>>, set: Readonly<Record<string, unknown>>) {
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
