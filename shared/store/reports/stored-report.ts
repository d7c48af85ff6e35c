/**
 * The item of a stored report and the rows beside it. One transaction cannot change both, so the item is marked
 * `chunksPending` while its rows are not in their final state (see `chunks.ts`). Whoever finds it marked finishes the work.
 */

import * as z from 'zod/mini';
import { dmarcReportHeader } from '../../reports/report.ts';
import { changing, having } from '../changes.ts';
import { type Item, type ItemSchema, octets } from '../item-schema.ts';
import type { Read } from '../items.ts';
import { type ReportKind, reportKey, reportKinds } from '../keys.ts';
import type { Table } from '../table.ts';
import { reportChunks } from './chunks.ts';
import type { Counts } from './days.ts';
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
  /** What else it adds to the sums of its day. */
  counters: z.record(z.string(), z.number()),
});

export type ReportFacts = Readonly<z.infer<typeof reportFacts>>;

/** Rows pass through unparsed: `rowContent` is their hash, and a report can have 200,000. */
export const reportItem = z.extend(reportFacts, {
  /** As in its key. */
  begin: z.string(),
  /** The number of rows, and their size as text in bytes. */
  rows: z.number(),
  rowOctets: z.number(),
  rowContent: z.string(),
  rowChunks: z.number(),
  /** The rows as lines of JSON, unless they are in chunks. */
  inline: z.string(),
  chunksPending: z.optional(z.boolean()),
  expiresAt: z.optional(z.number()),
});

export type ReportItem = Readonly<z.infer<typeof reportItem>>;

export const dmarcReportItem = z.extend(reportItem, { report: dmarcReportHeader });

/**
 * The attributes of an item. Those beside `body` are in conditions of writes, or are read without the others. The sort key
 * ends with begin and id.
 */
const storedItem = z.object({
  sk: z.string(),
  passed: z.number(),
  failed: z.number(),
  rawKey: z.nullable(z.string()),
  rowContent: z.string(),
  rowChunks: z.number(),
  chunksPending: z.optional(z.boolean()),
  expiresAt: z.optional(z.number()),
  body: octets,
});

/** A report and its content. */
export const reportReference = z.object({
  kind: z.enum(reportKinds),
  /** ISO 8601 with milliseconds. */
  begin: z.string(),
  id: z.string(),
  contentHash: z.string(),
});

export type ReportReference = Readonly<z.infer<typeof reportReference>>;

/** The read of a report. */
export const readOfReport = (
  kind: ReportKind,
  domainId: string,
  { begin, id }: Pick<ReportReference, 'begin' | 'id'>,
): Read<ReportItem> => ({ key: reportKey(kind, domainId, begin, id), schema: storedReport });

/** The schema of stored items that are read as `schema`, which extends `reportItem`. */
export const storedAs = <Value>(schema: ItemSchema<Value>): ItemSchema<Value> =>
  z.pipe(z.pipe(storedItem, z.transform(unpacked)), schema);

const storedReport = storedAs(reportItem);

function unpacked({ sk, body, ...item }: z.infer<typeof storedItem>, context: z.core.ParsePayload): unknown {
  try {
    const { facts, rows: inline } = unpackBody(body);
    const [, begin, id] = sk.split('#');
    return { ...facts, ...item, inline, begin, id };
  } catch {
    context.issues.push({ code: 'custom', message: 'is not the body of a report', input: body });
    return z.NEVER;
  }
}

/** The attributes of the item of a report, without its key. */
export function attributesOf(report: ReportItem): Item {
  const { begin, id, inline, passed, failed, rawKey, ...others } = report;
  const { rowContent, rowChunks, chunksPending, expiresAt, ...facts } = others;
  const body = packBody(facts, inline);
  return { passed, failed, rawKey, rowContent, rowChunks, chunksPending, expiresAt, body };
}

/** The facts in an item, as `reportFacts` names them. */
export const factsOf = (item: ReportFacts): ReportFacts => z.parse(reportFacts, item);

/** What a report adds to the sums of its day. */
export const countsOf = ({ passed, failed, counters }: ReportFacts): Counts => ({
  passed,
  failed,
  ...counters,
});

export function storedReports(table: Table, kind: ReportKind, domainId: string) {
  const chunks = reportChunks(table, kind, domainId);
  return {
    /** A report's rows in order; iterate once. */
    rowsOf: async <Row>(item: ReportItem): Promise<Iterable<Row>> =>
      item.rowChunks === 0 ? rowsIn(item.inline) : unpackRows(await chunks.read(item)),

    writeRows: (item: ReportItem, written: readonly Uint8Array[], now: Date): Promise<void> =>
      chunks.write(item, written, now),

    /** Gives the rows of a committed report the same expiry as the report. */
    async finalize(item: ReportItem): Promise<void> {
      if (item.chunksPending !== true) return;
      await chunks.finalize(item);
      await mark(item, undefined);
    },

    /** Makes the rows expire before their report is removed or gets other rows. */
    async makePending(item: ReportItem, now: Date): Promise<void> {
      if (item.rowChunks === 0) return;
      await mark(item, true);
      await chunks.makePending(item, now);
    },

    /** Removes rows that no report refers to. */
    removeRows: (item: ReportItem): Promise<void> => chunks.remove(item),
  };

  async function mark({ begin, id, rowContent }: ReportItem, chunksPending: true | undefined): Promise<void> {
    const change = changing({ chunksPending }, having({ rowContent }));
    await table.update(reportKey(kind, domainId, begin, id), change);
  }
}
