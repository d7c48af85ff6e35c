/** The common part of both report stores: reports of either kind are stored, withdrawn and listed the same way. */
import type { ReportIdentity } from '../../reports/report.ts';
import { type Alongside, together } from '../alongside.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { ItemSchema } from '../item-schema.ts';
import type { ReportKind } from '../keys.ts';
import type { Table } from '../table.ts';
import {
  type Arrival,
  type CommitOutcome,
  type ContributionOf,
  commitReport,
  type ReportToStore,
  reportUuid,
  type StoreOptions,
} from './commit.ts';
import type { Contribution } from './day-sums.ts';
import type { Tally, Window } from './days.ts';
import { reportLists } from './lists.ts';
import type { PackedRows } from './rows.ts';
import { type ReportItem, storedAs, storedReports } from './stored-report.ts';
import { type ReportReference, withdrawReport } from './withdrawal.ts';

export interface ReportStoreDefinition<Stored, Header> {
  readonly kind: ReportKind;
  /** The contribution of a stored report with its rows. */
  readonly contributionOf: (domain: DomainReference) => ContributionOf;
  /** The fields of a stored report that are specific to its kind. */
  readonly decode: (item: Stored) => Header;
  readonly schema: ItemSchema<Stored>;
}

/**
 * The identity of a report and how it arrived. With `mayReplace`, it replaces an earlier report from the same raw
 * message.
 */
export interface ReceivedReport {
  readonly identity: ReportIdentity;
  readonly arrival: Arrival;
  readonly mayReplace?: boolean;
  /** What is written in the transaction that stores it. */
  readonly alongside?: (counts: StoredCounts) => Alongside;
}

/** What is known about a report when it is about to be stored. */
export interface StoredCounts {
  readonly passed: number;
  readonly failed: number;
  /** Whether the transaction stores all of it. If not, rows have to be settled afterwards. */
  readonly isWhole: boolean;
}

/** The fields that stored reports of both kinds have. */
export type StoredReport = Pick<ReportItem, 'id' | 'receivedAt' | 'authenticated' | 'warnings'>;

/** A report on a page, with what is needed to read its rows. */
export interface Listed<Report> {
  readonly report: Report;
  readonly listed: ReportItem;
}

export function reportStore<Stored extends ReportItem, Header, Row>(
  table: Table,
  { kind, contributionOf, decode, schema }: ReportStoreDefinition<Stored, Header>,
  { retentionDays }: StoreOptions,
) {
  const lists = reportLists(table, kind, storedAs(schema));
  const shown = (listed: Stored): Listed<Header & StoredReport> => {
    const { id, receivedAt, authenticated, warnings } = listed;
    return { report: { ...decode(listed), id, receivedAt, authenticated, warnings }, listed };
  };
  return {
    days: lists.days,

    /** Stores a report once; retrying is always safe. */
    async commit(
      domain: DomainReference,
      report: ReportToStore['report'],
      { identity, arrival, mayReplace = false, alongside: alongsideOf = () => together([]) }: ReceivedReport,
      { rows, contribution }: { rows: PackedRows; contribution: Contribution },
      now: Date,
    ): Promise<CommitOutcome & { readonly id: string }> {
      const alongside = alongsideOf({ ...contribution.tally, isWhole: rows.chunks.length === 0 });
      const given = { kind, domain, identity, report, arrival, mayReplace, rows, contribution, alongside };
      const committed = await commitReport(
        table,
        { ...given, contributionOf: contributionOf(domain) },
        { now, retentionDays },
      );
      return { ...committed, id: reportUuid(kind, domain.id, identity) };
    },

    /** Removes a report that came from the message at `rawKey` and that the message no longer contains. */
    withdraw: (domain: DomainReference, reference: ReportReference, rawKey: string, now: Date) =>
      withdrawReport(
        table,
        { domain, reference, rawKey, contributionOf: contributionOf(domain) },
        { now, retentionDays },
      ),

    /** A page of the reports whose period begins in `window`, newest first, and the sums of the whole window. */
    async list(
      domainId: string,
      query: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<{ reports: Listed<Header & StoredReport>[]; hasMore: boolean; summary: Tally }> {
      const { reports, ...found } = await lists.page(domainId, query, now);
      return { ...found, reports: reports.map(shown) };
    },

    /** The rows of a listed report in order; iterate once. */
    rowsOf: (domainId: string, { listed }: { listed: ReportItem }): Promise<Iterable<Row>> =>
      storedReports(table, kind, domainId).rowsOf(listed),
  };
}
