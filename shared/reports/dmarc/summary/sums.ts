/** Adds up record summaries, and merges the summaries of reports. */
import {
  MAX_READ_SELECTORS,
  type RecordSummary,
  type ReportFacts,
  type ReportSummary,
  type SignedMessages,
} from './shapes.ts';

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

/** Sums messages by selector. A sender that passes SPF can choose the selectors of signatures that fail: those beyond a limit are left out. */
export function signedSums() {
  const sums = new Map<string, readonly [passed: number, failed: number]>();
  return {
    add(signed: SignedMessages): void {
      for (const [selector, [passed, failed]] of Object.entries(signed)) {
        const known = sums.get(selector) ?? [0, 0];
        if (sums.has(selector) || sums.size < MAX_READ_SELECTORS)
          sums.set(selector, [sum(known[0], passed), sum(known[1], failed)]);
      }
    },
    bySelector: (): SignedMessages =>
      Object.fromEntries([...sums].map(([selector, counts]) => [selector, [...counts]])),
  };
}

/**
 * The summaries of all these reports: those with the same facts become one. Merging is associative, and the order
 * changes only the order of the result.
 */
export function mergeSummaries(summaries: Iterable<ReportSummary>): ReportSummary[] {
  const byFacts = new Map<
    string,
    {
      readonly facts: ReportFacts;
      reports: number;
      readonly sums: ReturnType<typeof recordSums>;
      signed: ReturnType<typeof signedSums> | undefined;
    }
  >();
  for (const { records, reports, signed, ...facts } of summaries) {
    const key = keyOfFacts(facts);
    const group = byFacts.get(key) ?? { facts, reports: 0, sums: recordSums(), signed: undefined };
    group.reports += reports;
    for (const record of records) group.sums.add(record);
    if (signed !== undefined) {
      group.signed ??= signedSums();
      group.signed.add(signed);
    }
    byFacts.set(key, group);
  }
  return [...byFacts.values()].map(({ facts, reports, sums, signed }) => ({
    ...facts,
    ...{ reports, records: sums.records() },
    ...(signed !== undefined && { signed: signed.bySelector() }),
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
