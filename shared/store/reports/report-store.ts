/** The common part of both report stores: reports of either kind are removed and listed the same way. */

import { having } from '../changes.ts';
import { untilUncontended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import type { ItemSchema } from '../item-schema.ts';
import { deletedReportKey, type ReportKind } from '../keys.ts';
import type { PageAfter } from '../query.ts';
import type { Table, Write } from '../table.ts';
import type { StoreOptions } from './commit.ts';
import { dayOf, dayUpdate, type RollUp, reportExpiry, rollUpAfter } from './days.ts';
import { type DayInWindow, type ReportPage, reportLists, type Window } from './lists.ts';
import {
  countsOf,
  type ReportItem,
  type ReportReference,
  readOfReport,
  storedAs,
  storedReports,
} from './stored-report.ts';
import type { SummaryStore } from './summaries.ts';

interface ReportStoreDefinition<Stored, Header, Row> {
  readonly kind: ReportKind;
  /** The fields of a stored report that are specific to its kind. */
  readonly decode: (item: Stored) => Header;
  readonly schema: ItemSchema<Stored>;
  /** The name of the reporter. */
  readonly reporterOf: (item: Stored) => string;
  /** Whether a row counts messages from an address; if absent, rows have no addresses. */
  readonly isFrom?: (row: Row, address: string) => boolean;
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

/** The fields that stored reports of both kinds have. */
export type StoredReport = Pick<ReportItem, 'id' | 'receivedAt' | 'authenticated' | 'warnings'>;

/** A report on a page, with what is needed to read its rows. */
export interface Listed<Report> {
  readonly report: Report;
  readonly listed: ReportItem;
}

/** A page of a window. */
export interface ReportQuery extends PageAfter {
  readonly window: Window;
}

export function reportStore<Stored extends ReportItem, Header, Row>(
  table: Table,
  { kind, decode, schema, reporterOf, isFrom }: ReportStoreDefinition<Stored, Header, Row>,
  { retentionDays }: StoreOptions,
) {
  const lists = reportLists(table, kind, storedAs(schema));
  const shown = (listed: Stored): Listed<Header & StoredReport> => {
    const { id, receivedAt, authenticated, warnings } = listed;
    return { report: { ...decode(listed), id, receivedAt, authenticated, warnings }, listed };
  };
  return {
    daysFrom: lists.daysFrom,

    /** Removes a report that came from the message at `rawKey` and that the message no longer contains. */
    async withdraw(
      domain: DomainReference,
      reference: ReportReference,
      rawKey: string,
      now: Date,
    ): Promise<RollUp | null> {
      return (await removeReport(table, { domain, reference, rawKey }, { now, retentionDays })).rollUp;
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
    ): Promise<Removed | 'too-many'> {
      const begin = await lists.beginOf(domain.id, { id, window }, now);
      if (begin === undefined) return nothingRemoved;
      if (begin === 'too-many') return begin;
      return removeReport(table, { domain, reference: { kind, begin, id } }, { now, retentionDays });
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
     * The same for the reports that match a filter; the sums are those of these reports. `daysWithSource` saves reading those
     * of other days. `too-many` if it would have to read too many reports.
     */
    async search(
      domainId: string,
      { reporter, failing = false, reportId, sourceIp, ...query }: ReportQuery & ReportFilter,
      now: Date,
      daysWithSource?: SummaryStore['daysWithSource'],
    ): Promise<ReportPage<Listed<Header & StoredReport>> | 'too-many'> {
      const { rowsOf } = storedReports(table, kind, domainId);
      const name = reporter?.toLowerCase();
      const matches = async (item: Stored): Promise<boolean> => {
        if (failing && item.failed === 0) return false;
        if (name !== undefined && reporterOf(item).toLowerCase() !== name) return false;
        if (reportId !== undefined && reportId !== item.id && reportId !== item.report.reportId) return false;
        if (sourceIp === undefined) return true;
        for (const row of await rowsOf<Row>(item)) if (isFrom?.(row, sourceIp)) return true;
        return false;
      };
      async function possible(days: readonly DayInWindow[]): Promise<ReadonlySet<string>> {
        const some = days.filter(({ failed }) => !failing || failed > 0).map(({ day }) => day);
        return sourceIp === undefined || daysWithSource === undefined
          ? new Set(some)
          : daysWithSource(domainId, some, sourceIp, now);
      }
      const search = { ...query, possible, matches, readsRows: sourceIp !== undefined };
      const found = await lists.search(domainId, search, now);
      return found === 'too-many' ? found : { ...found, reports: found.reports.map(shown) };
    },

    /** The rows of a listed report in order; iterate once. */
    rowsOf: (domainId: string, { listed }: { listed: ReportItem }): Promise<Iterable<Row>> =>
      storedReports(table, kind, domainId).rowsOf(listed),
  };
}

interface Removal {
  readonly domain: DomainReference;
  readonly reference: Omit<ReportReference, 'contentHash'>;
  /** The message that it must have come from; absent if its owner deletes it, whatever it came from. */
  readonly rawKey?: string;
}

interface Removed {
  readonly isRemoved: boolean;
  /** What to roll up because of it. */
  readonly rollUp: RollUp | null;
}

const nothingRemoved: Removed = { isRemoved: false, rollUp: null };

/**
 * Removes a stored report, which a new reading of its mail no longer finds or its owner deletes, and subtracts it from the sums
 * of its day. One that its owner deletes leaves an item, so that it is not stored when it arrives again. Throws what DynamoDB
 * throws; retrying is always safe.
 */
function removeReport(
  table: Table,
  { domain, reference: { kind, begin, id }, rawKey }: Removal,
  { now, retentionDays }: StoreOptions & { now: Date },
): Promise<Removed> {
  const own = readOfReport(kind, domain.id, { begin, id });
  const stored = storedReports(table, kind, domain.id);
  const expiresAt = reportExpiry(begin, retentionDays);
  const isDeletion = rawKey === undefined;
  const deletion: Write = { Put: { Item: { ...deletedReportKey(kind, domain.id, id), expiresAt } } };
  return untilUncontended(async () => {
    const item = await table.get(own.key, own.schema);
    if (item === undefined || (rawKey !== undefined && item.rawKey !== rawKey)) return nothingRemoved;
    await stored.finalize(item);
    await stored.makePending(item, now);
    const before = countsOf(item);
    const isSame = having({ rawKey: item.rawKey, rowContent: item.rowContent });
    const failed = await table.tryTransact([
      isRegistered(domain),
      { Delete: { Key: own.key, ...isSame } },
      dayUpdate(dayOf(begin), [{ begin, id, before }], { kind, domainId: domain.id, expiresAt, isDeletion }),
      ...(isDeletion ? [deletion] : []),
    ]);
    if (failed.has(0)) return nothingRemoved;
    if (failed.size > 0) return undefined;
    await stored.removeRows(item);
    return { isRemoved: true, rollUp: rollUpAfter({ kind, begin, before }, undefined) };
  });
}
