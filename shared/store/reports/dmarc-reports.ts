/** DMARC aggregate reports of a domain: stored once, listed by window, summed by day. */
import type * as z from 'zod/mini';
import { MAX_MESSAGES } from '../../reports/limits.ts';
import type { DmarcRecordRow, DmarcReportHeader } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import type { Table, TransactionPart } from '../table.ts';
import {
  type CommitOutcome,
  commitReport,
  commitReports,
  type NewReport,
  type ReceivedReport,
  type StoreOptions,
} from './commit.ts';
import { addMessages, type MessageCounts, messagesWith, noMessages } from './dmarc-sources.ts';
import { reportStore, type StoredReport } from './report-store.ts';
import { rowPacker } from './rows.ts';
import { dmarcReportItem } from './stored-report.ts';

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

export function dmarcReportStore(table: Table, options: StoreOptions) {
  const { daysFrom, ...common } = reportStore<z.infer<typeof dmarcReportItem>, Counted, DmarcRecordRow>(
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
    ...common,

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

        commit(now: Date): Promise<CommitOutcome> {
          return commitReport(table, 'DMARC', domain, this.finish(), { now, ...options });
        },

        /** The report for `storeTogether`, instead of `commit`. */
        finish(): NewReport {
          const { messages, passed, ...others } = counts;
          const all = { passed, failed: messages - passed, ...others };
          return { received, content: { report, rows: packer.finish(), counts: all } };
        },
      };
    },

    /** Stores up to MOST_TOGETHER reports with different ids, with what belongs to all of them. */
    storeTogether: (
      domain: DomainReference,
      reports: readonly NewReport[],
      alongside: TransactionPart,
      now: Date,
    ): Promise<CommitOutcome[]> =>
      commitReports(table, 'DMARC', domain, reports, { now, ...options }, alongside),

    /** The sums of each day, oldest first, without days that have no reports. */
    async timeline(
      domainId: string,
      { from, to }: { readonly from: string; readonly to: string },
      now: Date,
    ): Promise<DmarcDay[]> {
      const found = await daysFrom(domainId, { first: from, last: to }, now);
      return found.toReversed().flatMap((one) => {
        const { day, reports, passed, failed, dkimAligned, spfAligned, quarantined, rejected } = one;
        const counts = { messages: passed + failed, passed, dkimAligned, spfAligned, quarantined, rejected };
        return reports > 0 ? [{ day, reports, ...counts }] : [];
      });
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
