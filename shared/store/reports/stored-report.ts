/**
 * The item of a stored report and the rows beside it. One transaction cannot change both, so the item is marked
 * `unsettled` while its rows are not in their final state (see `chunks.ts`). Whoever finds it marked finishes the work.
 */
import * as z from 'zod/mini';
import { type Item, type ItemSchema, octets } from '../item-schema.ts';
import type { Read } from '../items.ts';
import type { Key, ReportKind } from '../keys.ts';
import type { Table } from '../table.ts';
import { type ChunkedRows, reportChunks } from './chunks.ts';
import { packBody, unpackBody } from './report-body.ts';
import { rowsIn, unpackRows } from './rows.ts';

/** What an item stores about a report apart from its rows; for a conflicting report, all that is stored. */
const reportFacts = z.object({
  id: z.string(),
  contentHash: z.string(),
  /** The header. The lists parse it; what stores and removes reports does not read it. */
  report: z.looseObject({}),
  /** ISO time. */
  receivedAt: z.string(),
  authenticated: z.nullable(z.boolean()),
  /** The authenticated domain in the From field of the mail; absent if it is not authenticated. */
  authenticatedDomain: z.optional(z.string()),
  warnings: z.number(),
  rawKey: z.nullable(z.string()),
  passed: z.number(),
  failed: z.number(),
});

export type ReportFacts = Readonly<z.infer<typeof reportFacts>>;

/** Rows pass through unparsed: `rowContent` is their hash, and a report can have 200,000. */
export const reportItem = z.extend(reportFacts, {
  /** The number of rows, and their size as text in bytes. */
  rows: z.number(),
  rowOctets: z.number(),
  rowContent: z.string(),
  rowChunks: z.number(),
  /** The rows as lines of JSON, unless they are in chunks. */
  inline: z.string(),
  unsettled: z.optional(z.boolean()),
  expiresAt: z.optional(z.number()),
});

export type ReportItem = Readonly<z.infer<typeof reportItem>>;

/**
 * The attributes of an item. Those beside `body` are in conditions of writes, or are read without the others. The id is
 * the end of the sort key.
 */
const storedItem = z.object({
  sk: z.string(),
  passed: z.number(),
  failed: z.number(),
  rawKey: z.nullable(z.string()),
  rowContent: z.string(),
  rowChunks: z.number(),
  unsettled: z.optional(z.boolean()),
  expiresAt: z.optional(z.number()),
  body: octets,
});

/** The read of the report with this key. */
export const readOfReport = (key: Key): Read<ReportItem> => ({ key, schema: storedReport });

/** The schema of stored items that are read as `schema`, which extends `reportItem`. */
export const storedAs = <Value>(schema: ItemSchema<Value>): ItemSchema<Value> =>
  z.pipe(z.pipe(storedItem, z.transform(unpacked)), schema);

const storedReport = storedAs(reportItem);

function unpacked({ sk, body, ...item }: z.infer<typeof storedItem>, context: z.core.ParsePayload): unknown {
  try {
    const { facts, rows: inline } = unpackBody(body);
    return { ...facts, ...item, inline, id: sk.slice(sk.lastIndexOf('#') + 1) };
  } catch {
    context.issues.push({ code: 'custom', message: 'is not the body of a report', input: body });
    return z.NEVER;
  }
}

/** The attributes of the item of a report, without its key. */
export function attributesOf(report: ReportItem): Item {
  const { id, inline, passed, failed, rawKey, ...others } = report;
  const { rowContent, rowChunks, unsettled, expiresAt, ...facts } = others;
  const body = packBody(facts, inline);
  return { passed, failed, rawKey, rowContent, rowChunks, unsettled, expiresAt, body };
}

/** The facts in an item, as `reportFacts` names them. */
export const factsOf = (item: ReportFacts): ReportFacts => z.parse(reportFacts, item);

/** What the rows of a report depend on. */
type Stored = Pick<ReportItem, 'id' | 'rowContent' | 'rowChunks' | 'unsettled' | 'expiresAt'>;

export function storedReports(table: Table, kind: ReportKind, domainId: string) {
  const chunks = reportChunks(table);
  const chunked = ({ id, rowContent: rowsHash }: Stored): ChunkedRows => ({ kind, domainId, id, rowsHash });

  return {
    /** A report's rows in order; iterate once. */
    async rowsOf<Row>(item: ReportItem): Promise<Iterable<Row>> {
      const { inline, rowChunks } = item;
      return rowChunks === 0 ? rowsIn(inline) : unpackRows(await chunks.read(chunked(item), rowChunks));
    },

    /** Gives the rows of a committed report the same expiry as the report. */
    async settle(key: Key, item: Stored): Promise<void> {
      if (item.unsettled !== true) return;
      await chunks.settle(chunked(item), item.rowChunks, item.expiresAt);
      await mark(key, item, 'REMOVE unsettled');
    },

    /** Makes the rows expire before their report is removed or gets other rows. */
    async unsettle(key: Key, item: ReportItem, now: Date): Promise<void> {
      if (item.rowChunks === 0) return;
      await mark(key, item, 'SET unsettled = :true');
      await chunks.unsettle(chunked(item), item.rowChunks, now);
    },

    /** Removes rows that no report refers to. */
    removeRows: (item: Stored): Promise<void> => chunks.remove(chunked(item), item.rowChunks),
  };

  async function mark(key: Key, { rowContent }: Stored, UpdateExpression: string): Promise<void> {
    const values = { ':rows': rowContent, ...(UpdateExpression.includes(':true') && { ':true': true }) };
    await table.update(key, {
      UpdateExpression,
      ConditionExpression: 'rowContent = :rows',
      ExpressionAttributeValues: values,
    });
  }
}
