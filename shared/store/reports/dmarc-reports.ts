/** DMARC aggregate reports of a domain: stored once, listed by window, summed by day and by source. */
import * as z from 'zod/mini';
import { type DmarcRecordRow, type DmarcReportHeader, dmarcReportHeader } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import { domainPartition, reportDetailKey } from '../keys.ts';
import { between } from '../query.ts';
import type { Table } from '../table.ts';
import type { CommitOutcome, ContributionOf, StoreOptions } from './commit.ts';
import type { Contribution } from './day-sums.ts';
import { dayOf, detailItem, type StoredDay } from './days.ts';
import {
  addMessages,
  type MessageCounts,
  type SourceCounter,
  type SourceInWindow,
  sourceCounter,
  sourcesOfDays,
} from './dmarc-sources.ts';
import {
  type ReceivedReport,
  type ReportFilter,
  type ReportQuery,
  reportStore,
  type StoredReport,
} from './report-store.ts';
import { rowPacker } from './rows.ts';
import { reportItem } from './stored-report.ts';

/** The outcome of storing a report, and its message counts. */
export interface StoreOutcome extends CommitOutcome {
  readonly id: string;
  readonly counts: MessageCounts;
}

/** What is stored about a DMARC report. */
export const dmarcReportItem = z.extend(reportItem, {
  report: dmarcReportHeader,
});

interface Counted extends DmarcReportHeader {
  readonly totalCount: number;
  readonly passCount: number;
  readonly failCount: number;
  readonly recordCount: number;
}

export type StoredDmarcReport = Counted & StoredReport;

/** The sums of one day (`2026-01-31`, UTC). A report belongs to the day on which its period begins. */
export type DmarcDay = MessageCounts & { readonly day: string; readonly reports: number };

export type DmarcReportStore = ReturnType<typeof dmarcReportStore>;

const KIND = 'DMARC';

export function dmarcReportStore(table: Table, options: StoreOptions) {
  const { commit, withdraw, remove, list, search, rowsOf, days } = reportStore<
    z.infer<typeof dmarcReportItem>,
    Counted,
    DmarcRecordRow
  >(
    table,
    {
      kind: KIND,
      contributionOf: storedContribution,
      decode,
      schema: dmarcReportItem,
      reporterOf: ({ report }) => report.orgName,
      isFrom: ({ sourceIp, count }, address) => count > 0 && sourceIp === address,
    },
    options,
  );
  return {
    withdraw,
    remove,
    list,
    rowsOf,

    /**
     * Starts storing a report: pass its rows to `add` in batches, then call `commit`. Until then the rows are held
     * compressed and nothing is written, so an abandoned report needs no cleanup.
     */
    begin(domain: DomainReference, report: DmarcReportHeader, received: ReceivedReport) {
      const rows = rowPacker();
      const sources = sourceCounter(domain.domain);
      return {
        add(more: readonly DmarcRecordRow[]): void {
          for (const row of more) {
            rows.add(row);
            sources.add(row);
          }
        },

        async commit(now: Date): Promise<StoreOutcome> {
          const packed = { rows: rows.finish(), contribution: contributionOf(sources) };
          return { ...(await commit(domain, report, received, packed, now)), counts: sources.counts() };
        },
      };
    },

    /**
     * A page of the reports of a window that match a filter, newest first, and their sums. `too-many` if it would have to
     * read too many reports.
     */
    async search(domainId: string, query: ReportQuery & ReportFilter, now: Date) {
      const { sourceIp, window } = query;
      if (sourceIp === undefined) return search(domainId, query, now);
      const range = { from: dayOf(window.from ?? ''), to: dayOf(window.until ?? '~') };
      if (range.from > range.to) return search(domainId, query, now);
      const without = new Set<string>();
      for (const { day, sources } of await sourcesByDay(domainId, range, now)) {
        const isListed = sources.sources.some(([address]) => address === sourceIp);
        const [unlisted] = sources.others;
        if (!isListed && unlisted === 0) without.add(day);
      }
      return search(domainId, query, now, (day) => !without.has(day));
    },

    /** The sums of each day from `from` to `to`, oldest first, without days that have no reports. */
    async timeline(
      domainId: string,
      { from, to }: { from: string; to: string },
      now: Date,
    ): Promise<DmarcDay[]> {
      const found = await days.whole(domainId, { first: from, last: to }, now);
      return found
        .toReversed()
        .map(decodeDay)
        .filter(({ reports }) => reports > 0);
    },

    /** The sources that sent as the domain on the days from `from` to `to`, most messages first. */
    async sources(
      domainId: string,
      { from, to }: { from: string; to: string },
      now: Date,
    ): Promise<{ sources: SourceInWindow[]; others: MessageCounts; all: MessageCounts }> {
      const { sources, others } = sourcesOfDays(await sourcesByDay(domainId, { from, to }, now));
      return { sources, others, all: sources.reduce<MessageCounts>(addMessages, others) };
    },
  };

  async function sourcesByDay(domainId: string, { from, to }: { from: string; to: string }, now: Date) {
    const items = await table.query(
      between(
        domainPartition(domainId),
        reportDetailKey(KIND, domainId, from).sk,
        reportDetailKey(KIND, domainId, to).sk,
      ),
      detailItem,
      { aliveAt: now },
    );
    return items.flatMap(({ day, body: { extra: sources } }) => (sources === null ? [] : [{ day, sources }]));
  }
}

function contributionOf(sources: SourceCounter): Contribution {
  const { messages, passed, ...counters } = sources.counts();
  const { addTo, subtractFrom } = sources;
  return { tally: { passed, failed: messages - passed }, counters, addTo, subtractFrom };
}

const storedContribution =
  ({ domain }: DomainReference): ContributionOf =>
  (rows) => {
    const sources = sourceCounter(domain);
    for (const row of rows) sources.add(row);
    return contributionOf(sources);
  };

function decode({ report, passed, failed, rows }: z.infer<typeof dmarcReportItem>): Counted {
  return {
    ...report,
    totalCount: passed + failed,
    passCount: passed,
    failCount: failed,
    recordCount: rows,
  };
}

const decodeDay = ({ failed, ...day }: StoredDay): DmarcDay => ({ ...day, messages: day.passed + failed });
