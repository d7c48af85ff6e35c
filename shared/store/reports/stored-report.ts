/**
 * The item of a stored report and the rows beside it. One transaction cannot change both, so the item is marked
 * `chunksPending` while its rows are not in their final state (see below). The next write that finds it marked finishes the work.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod/mini';
import { dmarcReportHeader } from '../../reports/report.ts';
import { changing, having } from '../changes.ts';
import { type Item, type ItemSchema, octets } from '../item-schema.ts';
import { type Condition, PRESENT, type Read } from '../items.ts';
import { type Key, type ReportKind, reportKey, reportKinds, reportRowsKey } from '../keys.ts';
import type { Table } from '../table.ts';
import type { Counts } from './days.ts';
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

/*
 * The rows of a large report are in items of their own, chunks. A transaction cannot hold them, so they are written before
 * their report is committed, and a worker may crash at any point:
 * - A chunk's key contains a hash of its sequence of rows. Concurrent workers and retries therefore write the same
 *   bytes to the same keys, and a conflicting report never overwrites the rows of a stored one.
 * - Chunks expire after WAITING_DAYS unless their report is committed, so the chunks of a worker that died disappear.
 *   That is longer than a message stays in its queue and the dead-letter queue.
 * - After the commit, each chunk is final: it gets the expiry of its report, or none. The report's item is marked
 *   `chunksPending` until then, so the next delivery of the message finishes the work of a worker that died.
 * - A final chunk is never rewritten or removed, so a late worker does no harm.
 * - Before a report is removed or gets other rows, its chunks are pending again: they expire, unless the report stays
 *   as it is and becomes final once more.
 */

const chunkItem = z.object({ body: octets });

const WAITING_DAYS = 60;
const DAY_SECONDS = 86_400;
/** The number of chunks, each up to 300 KB, that are written or read concurrently. */
const PARALLEL = 4;

const PENDING: Condition = { ConditionExpression: 'attribute_not_exists(isFinal)' };

export function storedReports(table: Table, kind: ReportKind, domainId: string) {
  return {
    /**
     * A report's rows in order; iterate once. Throws if the rows were replaced or removed, or the domain is being deleted.
     */
    async rowsOf<Row>(item: ReportItem): Promise<Iterable<Row>> {
      if (item.rowChunks === 0) return rowsIn(item.inline);
      const bodies: Uint8Array[] = [];
      await each(item.rowChunks, async (n) => {
        const chunk = await table.get(chunkKey(item, n), chunkItem);
        if (chunk === undefined) throw new Error(`chunk ${n} of the rows of report ${item.id} is missing`);
        bodies[n] = chunk.body;
      });
      return unpackRows(bodies);
    },

    /** Writes chunks that expire unless they become final. Leaves final chunks unchanged. */
    async writeRows(item: ReportItem, chunks: readonly Uint8Array[], now: Date): Promise<void> {
      const expiresAt = waitingUntil(now);
      await each(chunks.length, (n) =>
        table.put({ ...chunkKey(item, n), body: chunks[n], expiresAt }, PENDING),
      );
    },

    /** Gives the rows of a committed report the same expiry as the report. */
    async finalize(item: ReportItem): Promise<void> {
      if (item.chunksPending !== true) return;
      await changeChunks(item, { isFinal: true, expiresAt: item.expiresAt });
      await mark(item, undefined);
    },

    /** Makes the rows expire before their report is removed or gets other rows. */
    async makePending(item: ReportItem, now: Date): Promise<void> {
      if (item.rowChunks === 0) return;
      await mark(item, true);
      await changeChunks(item, { expiresAt: waitingUntil(now), isFinal: undefined });
    },

    /** Removes rows that no report refers to, and that are not final. */
    removeRows: (item: ReportItem): Promise<void> =>
      each(item.rowChunks, (n) => table.delete(chunkKey(item, n), PENDING)),
  };

  function chunkKey({ id, rowContent }: ReportItem, n: number): Key {
    return reportRowsKey(kind, domainId, { id, rowsHash: rowContent, n });
  }

  /** If the domain is deleted meanwhile, its chunks must not reappear. */
  function changeChunks(item: ReportItem, set: Readonly<Record<string, unknown>>): Promise<void> {
    return each(item.rowChunks, (n) => table.update(chunkKey(item, n), changing(set, PRESENT)));
  }

  async function mark({ begin, id, rowContent }: ReportItem, chunksPending: true | undefined): Promise<void> {
    const change = changing({ chunksPending }, having({ rowContent }));
    await table.update(reportKey(kind, domainId, begin, id), change);
  }
}

const waitingUntil = (now: Date): number => Math.floor(now.getTime() / 1000) + WAITING_DAYS * DAY_SECONDS;

async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < count; first += PARALLEL) {
    const together = Math.min(PARALLEL, count - first);
    await Promise.all(Array.from({ length: together }, (_, at) => work(first + at)));
  }
}

/**
 * The dictionary of what nearly all reports contain makes the compressed part of a usual report a third smaller. Stored reports
 * need exactly this text. Most frequent last (RFC 1950 section 2.2, preset dictionary).
 */
const DICTIONARY = Buffer.from(
  [
    '{"sourceIp":"2001:db8::","count":0,"disposition":"reject","dkim":"fail","spf":"fail","reasons":[{"type":"forwarded","comment":null}],"headerFrom":"',
    '{"type":"local_policy","comment":"arc=pass"},{"type":"mailing_list"},{"type":"sampled_out"},{"type":"policy_test_mode"}',
    '"result":"none","result":"neutral","result":"softfail","result":"temperror","result":"permerror","scope":"helo","scope":null',
    'amazonses.com sendgrid.net mailgun.org outlook.com onmicrosoft.com mcsv.net selector1 selector2 google s1 s2 k1 20230601',
    '"policyType":"sts","policyDomain":"","policyString":["version: STSv1","mode: enforce","mx: ","max_age: 604800"],"mxHost":[""],"successCount":0,"failureCount":0,"failureDetails":[]}',
    '"kind":"tls","reportId":"","organizationName":"Google Inc.","contactInfo":"smtp-tls-reporting@google.com"',
    '"orgName":"Enterprise Outlook","email":"dmarcreport@microsoft.com","extraContactInfo":null,"orgName":"Yahoo","email":"dmarchelp@yahooinc.com","extraContactInfo":"https://',
    '{"contentHash":"","report":{"kind":"dmarc","reportId":"","orgName":"google.com","email":"noreply-dmarc-support@google.com","extraContactInfo":"https://support.google.com/a/answer/2466580","dateRangeBegin":"2026-01-01T00:00:00.000Z","dateRangeEnd":"2026-01-01T23:59:59.000Z","policyDomain":"","policyP":"quarantine","policySp":"reject","policyNp":null,"policyAdkim":"s","policyAspf":"s","policyPct":100,"testing":false,"discoveryMethod":"treewalk","discoveryMethod":"psl","generator":null,"hasRfc9990Namespace":true},"receivedAt":"2026-01-02T0","authenticated":true,"warnings":0,"counters":{"dkimAligned":1,"spfAligned":1,"quarantined":0,"rejected":0},"rows":1,"rowOctets":',
    '"policyP":"none","policySp":"none","policySp":null,"policyNp":null,"policyAdkim":"r","policyAspf":"r","policyPct":100,"testing":false,"discoveryMethod":null,"generator":null},"receivedAt":"',
    '{"sourceIp":"209.85.","count":1,"disposition":"none","dkim":"pass","spf":"pass","reasons":[],"headerFrom":".com","envelopeFrom":null,"envelopeTo":null,"dkimResults":[{"domain":".com","result":"pass","selector":"google"}],"spfResults":[{"domain":".com","result":"pass","scope":"mfrom"}]}\n',
  ].join(''),
);

/** Higher levels save nothing with texts of this size. */
const LEVEL = 6;

/** Compresses facts and rows; `rows` are lines of JSON. */
export const packBody = (facts: object, rows: string): Buffer =>
  deflateRawSync(`${JSON.stringify(facts)}\n${rows}`, { dictionary: DICTIONARY, level: LEVEL });

/** What `packBody` compressed. Throws if it is anything else. */
function unpackBody(body: Uint8Array): { readonly facts: object; readonly rows: string } {
  const text = inflateRawSync(body, { dictionary: DICTIONARY }).toString('utf8');
  const end = text.indexOf('\n');
  return { facts: JSON.parse(text.slice(0, end)), rows: text.slice(end + 1) };
}
