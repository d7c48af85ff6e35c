/**
 * The stored form of summaries. Messages of a reporter differ mostly in their source, so each combination of the other
 * values is written once, followed by its sources: about 7 bytes for each further address.
 *
 * Its size is limited. What is dropped is dropped from the records with the fewest messages first, in steps:
 * 1. their source address, so that SPF cannot be predicted for them;
 * 2. domains that do not align with the From domain, which never decide DMARC;
 * 3. all their domains: only hostile reports have so many different ones;
 * 4. the reporter and its policy, for the same reason.
 * Counts, evaluated results and dispositions are always kept, so all sums stay exact.
 */

import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import * as z from 'zod/mini';
import { organizationalDomain } from '../../../protocol/domain-name.ts';
import { memoized } from '../../values.ts';
import {
  MAX_SELECTORS,
  type RecordSummary,
  type ReportSummary,
  recordSummary,
  reportFacts,
  signedMessages,
} from './shapes.ts';
import { mergeSummaries } from './sums.ts';

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

/** The maximum size of the encoded summaries of a day, in bytes. */
export const MAX_SUMMARY_BYTES = 64 * 1024;

/** Summaries and their encoded form. */
interface Folded {
  readonly summaries: readonly ReportSummary[];
  readonly encoded: Uint8Array;
}

/** The same summaries, encoded in at most `most` bytes. */
export function fold(summaries: readonly ReportSummary[], most: number = MAX_SUMMARY_BYTES): Folded {
  const organizationOf = memoized(organizationalDomain);
  let result = folded(mergeSummaries(summaries).map(withFewSelectors));
  for (const step of [withoutAddress, withoutForeign(organizationOf), withoutDomains, withoutReporter]) {
    if (result.encoded.length <= most) break;
    result = foldBy(step, result.summaries, most);
  }
  return result;
}

/** The selectors with most messages, those first whose signatures passed: a stranger can choose others. */
function withFewSelectors(summary: ReportSummary): ReportSummary {
  const selectors = Object.entries(summary.signed ?? {});
  if (selectors.length <= MAX_SELECTORS) return summary;
  const most = selectors.toSorted(([, a], [, b]) => b[0] - a[0] || b[1] - a[1]).slice(0, MAX_SELECTORS);
  return { ...summary, signed: Object.fromEntries(most) };
}

type Step = (summary: ReportSummary, isSmall: (record: RecordSummary) => boolean) => ReportSummary[];

const folded = (summaries: readonly ReportSummary[]): Folded => ({
  summaries,
  encoded: encodeSummaries(summaries),
});

/** How often a number of records is tried, each time half of the way. */
const TRIALS = 6;

/** Applies a step to as many records as necessary, within a few percent, or to all of them. */
function foldBy(step: Step, summaries: readonly ReportSummary[], most: number): Folded {
  const records = summaries.flatMap((summary) => summary.records);
  const inOrder = records.toSorted((a, b) => a.count - b.count);
  const applied = (number: number): Folded => {
    const small = new Set(inOrder.slice(0, number));
    return folded(mergeSummaries(summaries.flatMap((one) => step(one, (record) => small.has(record)))));
  };
  let best = applied(records.length);
  if (best.encoded.length > most) return best;
  let [tooFew, enough] = [0, records.length];
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const number = Math.ceil((tooFew + enough) / 2);
    const tried = applied(number);
    if (tried.encoded.length > most) tooFew = number;
    else [best, enough] = [tried, number];
  }
  return best;
}

/** A step that changes each small record. */
const changing =
  (change: (record: RecordSummary) => RecordSummary): Step =>
  (summary, isSmall) => [
    { ...summary, records: summary.records.map((record) => (isSmall(record) ? change(record) : record)) },
  ];

const withoutAddress = changing((record) => ({ ...record, sourceIp: null }));

const withoutForeign = (organizationOf: (name: string) => string): Step =>
  changing((record) => {
    const { headerFrom, dkimDomains, mailFrom } = record;
    const own = headerFrom === null ? null : organizationOf(headerFrom);
    const isAligned = (name: string) => organizationOf(name) === own;
    return {
      ...record,
      dkimDomains: dkimDomains.filter(isAligned),
      mailFrom: mailFrom !== null && isAligned(mailFrom) ? mailFrom : null,
    };
  });

const withoutDomains = changing((record) => ({
  ...record,
  headerFrom: null,
  dkimDomains: [],
  mailFrom: null,
}));

/** Moves the small records to a summary without reporter. It counts the report if all of its records are there. */
const withoutReporter: Step = (summary, isSmall) => {
  const small = summary.records.filter(isSmall);
  const rest = summary.records.filter((record) => !isSmall(record));
  const { authenticated, specification } = summary;
  const unknown = { reporter: null, policy: null, discoveryMethod: null, authenticatedDomain: null };
  const unnamed = { ...unknown, authenticated, specification };
  if (rest.length === 0) return [{ ...unnamed, reports: summary.reports, records: small }];
  return [
    { ...summary, records: rest },
    { ...unnamed, reports: 0, records: small },
  ];
};
