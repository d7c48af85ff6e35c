/** The common part of both report stores: reports of either kind are stored, withdrawn and listed the same way. */
import type { ReportIdentity } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { ItemSchema } from '../item-schema.ts';
import type { ReportKind } from '../keys.ts';
import type { Page } from '../query.ts';
import type { Table } from '../table.ts';
import { combine, type TransactionPart } from '../transaction-part.ts';
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
import type { DayInWindow, Window } from './days.ts';
import { type ReportPage, reportLists } from './lists.ts';
import type { PackedRows } from './rows.ts';
import { type ReportItem, storedAs, storedReports } from './stored-report.ts';
import { type ReportReference, type Withdrawn, withdrawReport } from './withdrawal.ts';

interface ReportStoreDefinition<Stored, Header, Row> {
  readonly kind: ReportKind;
  /** The contribution of a stored report with its rows. */
  readonly contributionOf: (domain: DomainReference) => ContributionOf;
  /** The fields of a stored report that are specific to its kind. */
  readonly decode: (item: Stored) => Header;
  readonly schema: ItemSchema<Stored>;
  /** The name of the reporter. */
  readonly reporterOf: (item: Stored) => string;
  /** Whether a row counts messages from an address. */
  readonly isFrom: (row: Row, address: string) => boolean;
}

/** What the reports of a filtered list have in common. */
export interface ReportFilter {
  /** The name of the reporter, in any case. */
  readonly reporter?: string | undefined;
  /** Only reports with messages or connections that failed. */
  readonly failing?: boolean;
  /** Our id of a report, or the reporter's. */
  readonly reportId?: string | undefined;
  /** An address that the report counts messages from, in normal form. */
  readonly sourceIp?: string | undefined;
}

/**
 * The identity of a report and how it arrived. With `mayReplace`, it replaces an earlier report from the same raw
 * message.
 */
export interface ReceivedReport {
  readonly identity: ReportIdentity;
  readonly arrival: Arrival;
  readonly mayReplace?: boolean;
  /** Whether it is stored although its owner deleted it; by default, it is not. */
  readonly restoresDeleted?: boolean;
  /** What is written in the transaction that stores it. */
  readonly alongside?: (counts: StoredCounts) => TransactionPart;
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

/** A page of a window. */
export interface ReportQuery extends Page {
  readonly window: Window;
}

export function reportStore<Stored extends ReportItem, Header, Row>(
  table: Table,
  { kind, contributionOf, decode, schema, reporterOf, isFrom }: ReportStoreDefinition<Stored, Header, Row>,
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
      {
        identity,
        arrival,
        mayReplace = false,
        restoresDeleted = false,
        alongside: alongsideOf = () => combine([]),
      }: ReceivedReport,
      { rows, contribution }: { rows: PackedRows; contribution: Contribution },
      now: Date,
    ): Promise<CommitOutcome & { readonly id: string }> {
      const alongside = alongsideOf({ ...contribution.tally, isWhole: rows.chunks.length === 0 });
      const how = { mayReplace, restoresDeleted, rows, contribution, alongside };
      const given = { kind, domain, identity, report, arrival, ...how };
      const committed = await commitReport(
        table,
        { ...given, contributionOf: contributionOf(domain) },
        { now, retentionDays },
      );
      return { ...committed, id: reportUuid(kind, domain.id, identity) };
    },

    /** Removes a report that came from the message at `rawKey` and that the message no longer contains. */
    async withdraw(domain: DomainReference, reference: ReportReference, rawKey: string, now: Date) {
      const withdrawal = { domain, reference, rawKey, contributionOf: contributionOf(domain) };
      return (await withdrawReport(table, withdrawal, { now, retentionDays })).rollUp;
    },

    /**
     * Removes the report with this id among those of `window`, and its share of every sum. When it arrives again, it is
     * not stored. `too-many` if it is not among the newest MAX_SEARCHED_REPORTS. Throws what DynamoDB throws; retrying is
     * always safe.
     */
    async remove(
      domain: DomainReference,
      { id, window }: { readonly id: string; readonly window: Window },
      now: Date,
    ): Promise<Withdrawn | 'too-many'> {
      const begin = await lists.beginOf(domain.id, { id, window }, now);
      if (begin === undefined) return { isRemoved: false, rollUp: null };
      if (begin === 'too-many') return begin;
      const reference = { kind, begin, id };
      const withdrawal = { domain, reference, contributionOf: contributionOf(domain) };
      return withdrawReport(table, withdrawal, { now, retentionDays });
    },

    /** A page of the reports whose period begins in `window`, newest first, and the sums of the whole window. */
    async list(
      domainId: string,
      query: ReportQuery,
      now: Date,
    ): Promise<ReportPage<Listed<Header & StoredReport>>> {
      const { reports, ...found } = await lists.page(domainId, query, now);
      return { ...found, reports: reports.map(shown) };
    },

    /**
     * The same for the reports that match a filter; the sums are those of these reports. `hasSource` tells whether a day
     * can have reports with `sourceIp`. `too-many` if it would have to read too many reports.
     */
    async search(
      domainId: string,
      { window, page, limit, reporter, failing = false, reportId, sourceIp }: ReportQuery & ReportFilter,
      now: Date,
      hasSource: (day: string) => boolean = () => true,
    ): Promise<ReportPage<Listed<Header & StoredReport>> | 'too-many'> {
      const { rowsOf } = storedReports(table, kind, domainId);
      const name = reporter?.toLowerCase();
      const matches = async (item: Stored): Promise<boolean> => {
        if (failing && item.failed === 0) return false;
        if (name !== undefined && reporterOf(item).toLowerCase() !== name) return false;
        if (reportId !== undefined && reportId !== item.id && reportId !== item.report.reportId) return false;
        if (sourceIp === undefined) return true;
        for (const row of await rowsOf<Row>(item)) if (isFrom(row, sourceIp)) return true;
        return false;
      };
      const mayBeOn = ({ day, failed }: DayInWindow) => (!failing || failed > 0) && hasSource(day);
      const search = { window, page, limit, mayBeOn, matches, readsRows: sourceIp !== undefined };
      const found = await lists.search(domainId, search, now);
      return found === 'too-many' ? found : { ...found, reports: found.reports.map(shown) };
    },

    /** The rows of a listed report in order; iterate once. */
    rowsOf: (domainId: string, { listed }: { listed: ReportItem }): Promise<Iterable<Row>> =>
      storedReports(table, kind, domainId).rowsOf(listed),
  };
}
