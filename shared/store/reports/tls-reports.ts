/** TLS reports of a domain (RFC 8460): stored once and listed by window. Their rows are their policies. */
import type { TlsReport, TlsReportPolicy } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { Table } from '../table.ts';
import type { CommitStatus, ContributionOf, StoreOptions } from './commit.ts';
import type { Contribution } from './day-sums.ts';
import { type Listed, type ReceivedReport, reportStore, type StoredReport } from './report-store.ts';
import { rowPacker } from './rows.ts';
import type { ReportItem } from './stored-report.ts';

interface Counted extends Omit<TlsReport, 'policies'> {
  readonly totalSuccessCount: number;
  readonly totalFailureCount: number;
  readonly policyCount: number;
}

export type StoredTlsReport = Counted & StoredReport;

export type ListedTlsReport = Listed<StoredTlsReport>;

export interface TlsStoreOutcome {
  readonly status: CommitStatus;
  readonly id: string;
  readonly counts: { readonly successful: number; readonly failed: number };
}

export type TlsReportStore = ReturnType<typeof tlsReportStore>;

const KIND = 'TLS';

/** More than anyone makes in a day. Keeps sums within safe integers despite forged reports. */
const CONNECTIONS_PER_REPORT = 10 ** 10;

export function tlsReportStore(table: Table, options: StoreOptions) {
  const { commit, withdraw, list, rowsOf } = reportStore<Counted, TlsReportPolicy, null>(
    table,
    { kind: KIND, contributionOf: () => storedContribution, decode },
    options,
  );
  return {
    withdraw,
    list,
    policiesOf: rowsOf,

    /** Stores a report once; retrying is always safe. */
    async store(
      domain: DomainReference,
      { policies, ...report }: TlsReport,
      received: ReceivedReport,
      now: Date,
    ): Promise<TlsStoreOutcome> {
      const rows = rowPacker();
      for (const policy of policies) rows.add(policy);
      const contribution = contributionOf(policies);
      const { passed: successful, failed } = contribution.tally;
      const stored = await commit(domain, report, received, { rows: rows.finish(), contribution }, now);
      return { ...stored, counts: { successful, failed } };
    },
  };
}

function contributionOf(policies: readonly TlsReportPolicy[]): Contribution<null> {
  const total = (count: (policy: TlsReportPolicy) => number) =>
    Math.min(
      policies.reduce((sum, policy) => sum + count(policy), 0),
      CONNECTIONS_PER_REPORT,
    );
  const passed = total(({ successCount }) => successCount);
  const failed = total(({ failureCount }) => failureCount);
  return { tally: { passed, failed }, counters: {}, addTo: () => null, subtractFrom: () => null };
}

const storedContribution: ContributionOf<null> = (_item, policies) => contributionOf([...policies]);

const decode = (item: ReportItem, rows: number): Counted => ({
  ...(item.report as Omit<TlsReport, 'policies'>),
  totalSuccessCount: Number(item.passed),
  totalFailureCount: Number(item.failed),
  policyCount: rows,
});
