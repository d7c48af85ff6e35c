/** TLS reports of a domain (RFC 8460): stored once and listed by window. Their rows are their policies. */
import type { ReportIdentity, TlsReport, TlsReportPolicy } from '../reports/report.ts';
import type { DomainReference } from './domains.ts';
import {
  type Arrival,
  type CommitStatus,
  type ContributionOf,
  commitReport,
  reportUuid,
  type StoreOptions,
} from './report-commit.ts';
import type { Contribution } from './report-day-sums.ts';
import type { Tally, Window } from './report-days.ts';
import { type ListedReport, reportLists } from './report-lists.ts';
import { rowPacker } from './report-rows.ts';
import { type ReportReference, withdrawReport } from './report-withdrawal.ts';
import type { Table } from './table.ts';

export interface StoredTlsReport extends Omit<TlsReport, 'policies'> {
  readonly id: string;
  readonly totalSuccessCount: number;
  readonly totalFailureCount: number;
  readonly policyCount: number;
  readonly receivedAt: string;
  readonly authenticated: boolean | null;
  readonly warnings: number;
}

/** A report on a page, and its policies for `policiesOf`. */
export interface ListedTlsReport {
  readonly report: StoredTlsReport;
  readonly listed: ListedReport;
}

export interface TlsStoreOutcome {
  readonly status: CommitStatus;
  readonly id: string;
  readonly counts: { readonly successful: number; readonly failed: number };
}

export type TlsReportStore = ReturnType<typeof tlsReportStore>;

const KIND = 'TLS';

/** More than anybody makes in a day; so that forged reports cannot carry the sums out of the safe integers. */
const CONNECTIONS_PER_REPORT = 10 ** 10;

export function tlsReportStore(table: Table, { retentionDays }: StoreOptions) {
  const lists = reportLists(table, KIND);
  return {
    /**
     * Stores a report once; trying again is always right. With `mayReplace` it takes the place of what the same raw
     * message brought before.
     */
    async store(
      domain: DomainReference,
      { policies, ...report }: TlsReport,
      {
        identity,
        arrival,
        mayReplace = false,
      }: { identity: ReportIdentity; arrival: Arrival; mayReplace?: boolean },
      now: Date,
    ): Promise<TlsStoreOutcome> {
      const rows = rowPacker();
      for (const policy of policies) rows.add(policy);
      const contribution = contributionOf(policies);
      const status = await commitReport<null>(
        table,
        {
          ...{ kind: KIND, domain, identity, report, arrival, mayReplace, contribution },
          rows: rows.finish(),
          contributionOf: storedContribution,
        },
        { now, retentionDays },
      );
      const { passed: successful, failed } = contribution.tally;
      return { status, id: reportUuid(KIND, domain.id, identity), counts: { successful, failed } };
    },

    /** Removes a report that the message at `rawKey` brought and does not bring any more. */
    withdraw: (domain: DomainReference, reference: ReportReference, rawKey: string, now: Date) =>
      withdrawReport(
        table,
        { domain, reference, rawKey, contributionOf: storedContribution },
        { now, retentionDays },
      ),

    /** A page of the reports whose period begins in `window`, newest first, and the sums over all of the window. */
    async list(
      domainId: string,
      query: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<{ reports: ListedTlsReport[]; hasMore: boolean; summary: Tally }> {
      const { reports, hasMore, summary } = await lists.page(domainId, query, now);
      return { reports: reports.map((listed) => ({ report: decode(listed), listed })), hasMore, summary };
    },

    policiesOf: (domainId: string, { listed }: ListedTlsReport): Promise<Iterable<TlsReportPolicy>> =>
      lists.rowsOf(domainId, listed),
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
  return { tally: { passed, failed }, counters: {}, addTo: () => null, takeFrom: () => null };
}

const storedContribution: ContributionOf<null> = (_item, policies) => contributionOf([...policies]);

function decode({ id, item, rows }: ListedReport): StoredTlsReport {
  return {
    ...(item.report as Omit<TlsReport, 'policies'>),
    id,
    totalSuccessCount: Number(item.passed),
    totalFailureCount: Number(item.failed),
    policyCount: rows,
    receivedAt: String(item.receivedAt),
    authenticated: item.authenticated as boolean | null,
    warnings: Number(item.warnings),
  };
}
