/** What the stores of both kinds of report have in common: a report comes, goes and is listed in the same way. */
import type { ReportIdentity } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domains.ts';
import type { ReportKind } from '../keys.ts';
import type { Table } from '../table.ts';
import {
  type Arrival,
  type CommitStatus,
  type ContributionOf,
  commitReport,
  type ReportToStore,
  reportUuid,
  type StoreOptions,
} from './commit.ts';
import type { Contribution } from './day-sums.ts';
import type { Tally, Window } from './days.ts';
import { type ListedReport, reportLists } from './lists.ts';
import type { PackedRows } from './rows.ts';
import type { ReportItem } from './stored-report.ts';
import { type ReportReference, withdrawReport } from './withdrawal.ts';

export interface KindOfReport<Header, Extra> {
  readonly kind: ReportKind;
  /** What a stored report with its rows counts. */
  readonly contributionOf: (domain: DomainReference) => ContributionOf<Extra>;
  /** What is shown of a stored report beside what is common to both kinds. */
  readonly decode: (item: ReportItem, rows: number) => Header;
}

/** Which report it is and how it came; with `mayReplace` it takes the place of what the same raw message brought before. */
export interface Delivery {
  readonly identity: ReportIdentity;
  readonly arrival: Arrival;
  readonly mayReplace?: boolean;
}

/** What is shown of a stored report, of either kind. */
export interface StoredReport {
  readonly id: string;
  readonly receivedAt: string;
  readonly authenticated: boolean | null;
  readonly warnings: number;
}

/** A report on a page, and what its rows are found by. */
export interface Listed<Report> {
  readonly report: Report;
  readonly listed: ListedReport;
}

export function reportStore<Header, Row, Extra>(
  table: Table,
  { kind, contributionOf, decode }: KindOfReport<Header, Extra>,
  { retentionDays }: StoreOptions,
) {
  const lists = reportLists(table, kind);
  const shown = (listed: ListedReport): Listed<Header & StoredReport> => {
    const { id, item, rows } = listed;
    const report = {
      ...decode(item, rows),
      id,
      receivedAt: String(item.receivedAt),
      authenticated: item.authenticated as boolean | null,
      warnings: Number(item.warnings),
    };
    return { report, listed };
  };
  return {
    days: lists.days,

    /** Stores a report once; trying again is always right. */
    async commit(
      domain: DomainReference,
      report: ReportToStore<Extra>['report'],
      { identity, arrival, mayReplace = false }: Delivery,
      { rows, contribution }: { rows: PackedRows; contribution: Contribution<Extra> },
      now: Date,
    ): Promise<{ status: CommitStatus; id: string }> {
      const given = { kind, domain, identity, report, arrival, mayReplace, rows, contribution };
      const status = await commitReport<Extra>(
        table,
        { ...given, contributionOf: contributionOf(domain) },
        { now, retentionDays },
      );
      return { status, id: reportUuid(kind, domain.id, identity) };
    },

    /** Removes a report that the message at `rawKey` brought and does not bring any more. */
    withdraw: (domain: DomainReference, reference: ReportReference, rawKey: string, now: Date) =>
      withdrawReport(
        table,
        { domain, reference, rawKey, contributionOf: contributionOf(domain) },
        { now, retentionDays },
      ),

    /** A page of the reports whose period begins in `window`, newest first, and the sums over all of the window. */
    async list(
      domainId: string,
      query: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<{ reports: Listed<Header & StoredReport>[]; hasMore: boolean; summary: Tally }> {
      const { reports, ...found } = await lists.page(domainId, query, now);
      return { ...found, reports: reports.map(shown) };
    },

    /** A listed report's rows in their order, to be gone through once. */
    rowsOf: (domainId: string, { listed }: { listed: ListedReport }): Promise<Iterable<Row>> =>
      lists.rowsOf(domainId, listed),
  };
}
