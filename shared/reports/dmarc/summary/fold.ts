/**
 * Limits the size of summaries. What is dropped is dropped from the records with the fewest messages first, in steps:
 * 1. their source address, so that SPF cannot be predicted for them;
 * 2. domains that do not align with the From domain, which never decide DMARC;
 * 3. all their domains: only hostile reports have so many different ones;
 * 4. the reporter and its policy, for the same reason.
 * Counts, evaluated results and dispositions are always kept, so all sums stay exact.
 */
import { organizationalDomain } from '../../../protocol/domain-name.ts';
import { memoized } from '../../values.ts';
import { encodeSummaries } from './encoding.ts';
import { MAX_SELECTORS, type RecordSummary, type ReportSummary } from './shapes.ts';
import { mergeSummaries } from './sums.ts';

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
