/** TLS reports of a domain (RFC 8460): stored once and listed by window. Their rows are their policies. */
import * as z from 'zod/mini';
import {
  type TlsReport,
  type TlsReportHeader,
  type TlsReportPolicy,
  tlsReportHeader,
} from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { Table } from '../table.ts';
import { type CommitOutcome, commitReport, type ReceivedReport, type StoreOptions } from './commit.ts';
import { reportStore, type StoredReport } from './report-store.ts';
import { rowPacker } from './rows.ts';
import { reportItem } from './stored-report.ts';

const tlsReportItem = z.extend(reportItem, { report: tlsReportHeader });

interface Counted extends TlsReportHeader {
  readonly totalSuccessCount: number;
  readonly totalFailureCount: number;
  readonly policyCount: number;
}

export type StoredTlsReport = Counted & StoredReport;

/** The sums of one day (`2026-01-31`, UTC). A report belongs to the day on which its period begins. */
export interface TlsDay {
  readonly day: string;
  readonly reports: number;
  /** Sessions. */
  readonly successful: number;
  readonly failed: number;
}

export type TlsReportStore = ReturnType<typeof tlsReportStore>;

/** More than anyone makes in a day. Keeps sums within safe integers despite forged reports. */
const CONNECTIONS_PER_REPORT = 10 ** 10;

export function tlsReportStore(table: Table, options: StoreOptions) {
  const {
    daysFrom,
    rowsOf: policiesOf,
    ...common
  } = reportStore<z.infer<typeof tlsReportItem>, Counted, TlsReportPolicy>(
    table,
    {
      kind: 'TLS',
      decode,
      schema: tlsReportItem,
      reporterOf: ({ report }) => report.organizationName,
    },
    options,
  );
  return {
    ...common,
    policiesOf,

    /** The sessions of each day from `from` to `to`, oldest first, without days that have no reports. */
    async timeline(
      domainId: string,
      { from, to }: { from: string; to: string },
      now: Date,
    ): Promise<TlsDay[]> {
      const found = await daysFrom(domainId, { first: from, last: to }, now);
      return found
        .toReversed()
        .map(({ day, reports, passed, failed }) => ({ day, reports, successful: passed, failed }))
        .filter(({ reports }) => reports > 0);
    },

    /** Stores a report once; retrying is always safe. */
    store(
      domain: DomainReference,
      { policies, ...report }: TlsReport,
      received: ReceivedReport,
      now: Date,
    ): Promise<CommitOutcome> {
      const rows = rowPacker();
      for (const policy of policies) rows.add(policy);
      const total = (count: (policy: TlsReportPolicy) => number) =>
        Math.min(
          policies.reduce((sum, policy) => sum + count(policy), 0),
          CONNECTIONS_PER_REPORT,
        );
      const counts = {
        passed: total(({ successCount }) => successCount),
        failed: total(({ failureCount }) => failureCount),
      };
      const content = { report, rows: rows.finish(), counts };
      return commitReport(table, 'TLS', domain, { received, content }, { now, ...options });
    },
  };
}

const decode = ({ report, passed, failed, rows }: z.infer<typeof tlsReportItem>): Counted => ({
  ...report,
  totalSuccessCount: passed,
  totalFailureCount: failed,
  policyCount: rows,
});
