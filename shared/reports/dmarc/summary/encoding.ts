/**
 * The stored form of summaries. Messages of a reporter differ mostly in their source, so each combination of the other
 * values is written once, followed by its sources: about 7 bytes for each further address.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod/mini';
import {
  type RecordSummary,
  type ReportSummary,
  recordSummary,
  reportFacts,
  signedMessages,
} from './shapes.ts';

const { shape } = recordSummary;

/** The values of records that differ only in their source and count, then those of each record. */
const storedRecords = z.tuple([
  shape.headerFrom,
  shape.dkimDomains,
  shape.mailFrom,
  shape.spfResult,
  shape.dkim,
  shape.spf,
  shape.disposition,
  shape.overrides,
  z.array(shape.sourceIp),
  z.array(shape.count),
]);

type StoredRecords = z.infer<typeof storedRecords>;

const storedSummaries = z.array(
  z.extend(reportFacts, {
    reports: z.number(),
    signed: z.exactOptional(signedMessages),
    records: z.array(storedRecords),
  }),
);

/** Fast enough for thousands of records; higher qualities save 3 % and take ten times as long. */
const QUALITY = 5;

/** Encodes summaries. The order of reports is kept, that of records is not. */
export function encodeSummaries(summaries: readonly ReportSummary[]): Uint8Array {
  const stored = summaries.map(({ records, ...facts }) => ({ ...facts, records: grouped(records) }));
  const text = Buffer.from(JSON.stringify(stored));
  return brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

/** Decodes what `encodeSummaries` returned. Throws if it is anything else. */
export function decodeSummaries(encoded: Uint8Array): ReportSummary[] {
  const stored = z.parse(storedSummaries, JSON.parse(brotliDecompressSync(encoded).toString('utf8')));
  return stored.map(({ records, ...facts }) => ({ ...facts, records: records.flatMap(ungrouped) }));
}

function grouped(records: readonly RecordSummary[]): StoredRecords[] {
  const byRest = new Map<string, StoredRecords>();
  const bySource = records.toSorted((a, b) => ((a.sourceIp ?? '') < (b.sourceIp ?? '') ? -1 : 1));
  for (const { sourceIp, count, ...rest } of bySource) {
    const { headerFrom, dkimDomains, mailFrom, spfResult, dkim, spf, disposition, overrides } = rest;
    const values = [headerFrom, dkimDomains, mailFrom, spfResult, dkim, spf, disposition, overrides] as const;
    const key = JSON.stringify(values);
    const group = byRest.get(key) ?? [...values, [], []];
    group[8].push(sourceIp);
    group[9].push(count);
    byRest.set(key, group);
  }
  return [...byRest.values()];
}

function ungrouped([
  headerFrom,
  dkimDomains,
  mailFrom,
  spfResult,
  dkim,
  spf,
  disposition,
  overrides,
  sources,
  counts,
]: StoredRecords): RecordSummary[] {
  const rest = { headerFrom, dkimDomains, mailFrom, spfResult, dkim, spf, disposition, overrides };
  return sources.map((sourceIp, at) => ({ sourceIp, ...rest, count: counts[at] ?? 0 }));
}
