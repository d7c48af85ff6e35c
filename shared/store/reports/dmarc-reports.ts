/** DMARC aggregate reports of a domain: stored once, listed by window, summed by day and by source. */
import type * as z from 'zod/mini';
import { MAX_MESSAGES } from '../../reports/limits.ts';
import type { DmarcRecordRow, DmarcReportHeader } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { Table } from '../table.ts';
import { type CommitOutcome, commitReport, type ReceivedReport, type StoreOptions } from './commit.ts';
import {
  addMessages,
  type MessageCounts,
  messagesWith,
  noMessages,
  type Sources,
  sourcesOf,
} from './dmarc-sources.ts';
import { type ReportFilter, type ReportQuery, reportStore, type StoredReport } from './report-store.ts';
import { rowPacker } from './rows.ts';
import { dmarcReportItem } from './stored-report.ts';
import { summaryStore } from './summaries.ts';

/** The outcome of storing a report, and its message counts. */
export interface StoreOutcome extends CommitOutcome {
  readonly counts: MessageCounts;
}

interface Counted extends DmarcReportHeader {
  readonly totalCount: number;
  readonly passCount: number;
  readonly failCount: number;
  readonly recordCount: number;
}

export type StoredDmarcReport = Counted & StoredReport;

/** The sums of one day (`2026-01-31`, UTC). A report belongs to the day on which its period begins. */
export type DmarcDay = MessageCounts & { readonly day: string; readonly reports: number };

/** Days such as `2026-01-31`, UTC, both included. */
interface Days {
  readonly from: string;
  readonly to: string;
}

export type DmarcReportStore = ReturnType<typeof dmarcReportStore>;

export function dmarcReportStore(table: Table, options: StoreOptions) {
  const summaries = summaryStore(table);
  const { withdraw, remove, list, search, rowsOf, daysFrom } = reportStore<
    z.infer<typeof dmarcReportItem>,
    Counted,
    DmarcRecordRow
  >(
    table,
    {
      kind: 'DMARC',
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
      const packer = rowPacker();
      let counts = noMessages;
      return {
        add(rows: readonly DmarcRecordRow[]): void {
          for (const row of rows) {
            packer.add(row);
            const count = Math.min(row.count, MAX_MESSAGES - counts.messages);
            counts = addMessages(counts, messagesWith(row, count));
          }
        },

        async commit(now: Date): Promise<StoreOutcome> {
          const { messages, passed, ...others } = counts;
          const content = {
            report,
            rows: packer.finish(),
            counts: { passed, failed: messages - passed, ...others },
          };
          return {
            ...(await commitReport(table, 'DMARC', domain, received, content, { now, ...options })),
            counts,
          };
        },
      };
    },

    /**
     * A page of the reports of a window that match a filter, newest first, and their sums. `too-many` if it would have to
     * read too many reports.
     */
    async search(domainId: string, query: ReportQuery & ReportFilter, now: Date) {
      const { sourceIp } = query;
      if (sourceIp === undefined) return search(domainId, query, now);
      return search(domainId, query, now, async (days) => {
        const [to = '', from = ''] = [days[0], days.at(-1)];
        const found = new Set<string>();
        for await (const { day, summaries: some } of summaries.eachDay(domainId, { from, to }, now)) {
          const records = some.flatMap((one) => one.records);
          if (records.some((one) => one.sourceIp === sourceIp || one.sourceIp === null)) found.add(day);
        }
        return found;
      });
    },

    /** The sums of each day, oldest first, without days that have no reports. */
    async timeline(domainId: string, { from, to }: Days, now: Date): Promise<DmarcDay[]> {
      const found = await daysFrom(domainId, { first: from, last: to }, now);
      return found.toReversed().flatMap((one) => {
        const { day, reports, passed, failed, dkimAligned, spfAligned, quarantined, rejected } = one;
        const counts = { messages: passed + failed, passed, dkimAligned, spfAligned, quarantined, rejected };
        return reports > 0 ? [{ day, reports, ...counts }] : [];
      });
    },

    /** The sources that sent as the domain on some days, most messages first. */
    async sources(
      { id, domain }: Pick<DomainReference, 'id' | 'domain'>,
      days: Days,
      now: Date,
    ): Promise<Sources & { readonly all: MessageCounts }> {
      const { sources, others } = await sourcesOf(domain, summaries.eachDay(id, days, now));
      return { sources, others, all: sources.reduce<MessageCounts>(addMessages, others) };
    },
  };
}

const decode = ({ report, passed, failed, rows }: z.infer<typeof dmarcReportItem>): Counted => ({
  ...report,
  totalCount: passed + failed,
  passCount: passed,
  failCount: failed,
  recordCount: rows,
});
