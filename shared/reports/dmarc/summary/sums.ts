/** Adds up record summaries, and merges the summaries of reports. */
import type { RecordSummary, ReportFacts, ReportSummary } from './shapes.ts';

/** Sums records that differ only in their count. */
export function recordSums() {
  const byKey = new Map<string, RecordSummary>();
  return {
    add(record: RecordSummary): void {
      const key = keyOf(record);
      const known = byKey.get(key);
      byKey.set(key, known === undefined ? record : { ...known, count: sum(known.count, record.count) });
    },
    /** The sums, in the order in which they were first added. */
    records: (): RecordSummary[] => [...byKey.values()],
  };
}

/**
 * The summaries of all these reports: those with the same facts become one. Merging is associative, and the order
 * changes only the order of the result.
 */
export function mergeSummaries(summaries: Iterable<ReportSummary>): ReportSummary[] {
  const byFacts = new Map<
    string,
    { facts: ReportFacts; reports: number; sums: ReturnType<typeof recordSums> }
  >();
  for (const { records, reports, ...facts } of summaries) {
    const key = keyOfFacts(facts);
    const group = byFacts.get(key) ?? { facts, reports: 0, sums: recordSums() };
    group.reports += reports;
    for (const record of records) group.sums.add(record);
    byFacts.set(key, group);
  }
  return [...byFacts.values()].map(({ facts, reports, sums }) => ({
    ...facts,
    reports,
    records: sums.records(),
  }));
}

/** Forged counts must not leave the safe integers. */
const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

const keyOf = (record: RecordSummary): string =>
  JSON.stringify([
    record.sourceIp,
    record.headerFrom,
    record.dkimDomains,
    record.mailFrom,
    record.spfResult,
    record.dkim,
    record.spf,
    record.disposition,
    record.overrides,
  ]);

const keyOfFacts = ({
  reporter,
  specification,
  discoveryMethod,
  authenticated,
  authenticatedDomain,
  policy,
}: ReportFacts): string =>
  JSON.stringify([
    reporter,
    specification,
    discoveryMethod,
    authenticated,
    authenticatedDomain,
    policy && [
      policy.domain,
      policy.p,
      policy.sp,
      policy.np,
      policy.adkim,
      policy.aspf,
      policy.pct,
      policy.testing,
    ],
  ]);
