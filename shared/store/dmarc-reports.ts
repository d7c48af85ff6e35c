/** DMARC aggregate reports of a domain: stored once, listed by window, summed up by day and by source. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DmarcRecordRow, DmarcReportHeader, ReportIdentity } from '../reports/report.ts';
import {
  addMessages,
  type DaySources,
  type MessageCounts,
  noMessages,
  type SourceCounter,
  type SourceInWindow,
  sourceCounter,
  sourcesOfDays,
} from './dmarc-sources.ts';
import type { DomainReference } from './domains.ts';
import { domainPartition, reportDetailKey } from './keys.ts';
import {
  type Arrival,
  type CommitStatus,
  type ContributionOf,
  commitReport,
  reportUuid,
  type StoreOptions,
} from './report-commit.ts';
import type { Contribution } from './report-day-sums.ts';
import { isAlive, readDetail, type Tally, type Window } from './report-days.ts';
import { type ListedReport, reportLists } from './report-lists.ts';
import { rowPacker } from './report-rows.ts';
import { type ReportReference, withdrawReport } from './report-withdrawal.ts';
import type { Table } from './table.ts';

/** What became of a report, and what it counts. */
export interface StoreOutcome {
  readonly status: CommitStatus;
  readonly id: string;
  readonly counts: MessageCounts;
}

export interface StoredDmarcReport extends DmarcReportHeader {
  readonly id: string;
  readonly totalCount: number;
  readonly passCount: number;
  readonly failCount: number;
  readonly recordCount: number;
  readonly receivedAt: string;
  readonly authenticated: boolean | null;
  readonly warnings: number;
}

/** A report on a page, and its rows for `rowsOf`. */
export interface ListedDmarcReport {
  readonly report: StoredDmarcReport;
  readonly listed: ListedReport;
}

/** What the reports of one day say, in the form `2026-01-31`, UTC; a report belongs to the day on which it begins. */
export type DmarcDay = MessageCounts & { readonly day: string; readonly reports: number };

export type DmarcReportStore = ReturnType<typeof dmarcReportStore>;

const KIND = 'DMARC';

export function dmarcReportStore(table: Table, { retentionDays }: StoreOptions) {
  const lists = reportLists(table, KIND);
  return {
    /**
     * Begins to store a report: give its rows to `add` in pieces, then `commit`. Nothing is written before that, and
     * the rows are held compressed meanwhile. What does not commit needs no clearing up. With `mayReplace` it takes
     * the place of what the same raw message brought before.
     */
    begin(
      domain: DomainReference,
      report: DmarcReportHeader,
      {
        identity,
        arrival,
        mayReplace = false,
      }: { identity: ReportIdentity; arrival: Arrival; mayReplace?: boolean },
    ) {
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
          const status = await commitReport<DaySources>(
            table,
            {
              ...{ kind: KIND, domain, identity, report, arrival, mayReplace },
              rows: rows.finish(),
              contribution: contributionOf(sources),
              contributionOf: storedContribution(domain),
            },
            { now, retentionDays },
          );
          return { status, id: reportUuid(KIND, domain.id, identity), counts: sources.counts() };
        },
      };
    },

    /** Removes a report that the message at `rawKey` brought and does not bring any more. */
    withdraw: (domain: DomainReference, reference: ReportReference, rawKey: string, now: Date) =>
      withdrawReport(
        table,
        { domain, reference, rawKey, contributionOf: storedContribution(domain) },
        { now, retentionDays },
      ),

    /** A page of the reports whose period begins in `window`, newest first, and the sums over all of the window. */
    async list(
      domainId: string,
      query: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<{ reports: ListedDmarcReport[]; hasMore: boolean; summary: Tally }> {
      const { reports, hasMore, summary } = await lists.page(domainId, query, now);
      return { reports: reports.map((listed) => ({ report: decode(listed), listed })), hasMore, summary };
    },

    rowsOf: (domainId: string, { listed }: ListedDmarcReport): Promise<Iterable<DmarcRecordRow>> =>
      lists.rowsOf(domainId, listed),

    /** What the reports of each day from `from` to `to` say, oldest first; days without reports are left out. */
    async timeline(
      domainId: string,
      { from, to }: { from: string; to: string },
      now: Date,
    ): Promise<DmarcDay[]> {
      const days = await lists.days.whole(domainId, { first: from, last: to }, now);
      return days
        .toReversed()
        .map(decodeDay)
        .filter(({ reports }) => reports > 0);
    },

    /** Who sent as the domain on the days from `from` to `to`, most messages first. */
    async sources(
      domainId: string,
      { from, to }: { from: string; to: string },
      now: Date,
    ): Promise<{ sources: SourceInWindow[]; others: MessageCounts; all: MessageCounts }> {
      const days: { day: string; sources: DaySources }[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const answer = await table.client.send(
          new QueryCommand({
            TableName: table.name,
            KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
            ExpressionAttributeValues: {
              ':pk': domainPartition(domainId),
              ':low': reportDetailKey(KIND, domainId, from).sk,
              ':high': reportDetailKey(KIND, domainId, to).sk,
            },
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        for (const item of (answer.Items ?? []).filter((one) => isAlive(one, now))) {
          days.push({ day: String(item.day), sources: readDetail<DaySources>(item.body).extra });
        }
        start = answer.LastEvaluatedKey;
      } while (start !== undefined);
      const { sources, others } = sourcesOfDays(days);
      return { sources, others, all: sources.reduce<MessageCounts>(addMessages, others) };
    },
  };
}

function contributionOf(sources: SourceCounter): Contribution<DaySources> {
  const { messages, passed, ...counters } = sources.counts();
  const { addTo, takeFrom } = sources;
  return { tally: { passed, failed: messages - passed }, counters, addTo, takeFrom };
}

const storedContribution =
  ({ domain }: DomainReference): ContributionOf<DaySources> =>
  (_item, rows) => {
    const sources = sourceCounter(domain);
    for (const row of rows) sources.add(row);
    return contributionOf(sources);
  };

function decode({ id, item, rows }: ListedReport): StoredDmarcReport {
  const passed = Number(item.passed);
  const failed = Number(item.failed);
  return {
    ...(item.report as DmarcReportHeader),
    id,
    totalCount: passed + failed,
    passCount: passed,
    failCount: failed,
    recordCount: rows,
    receivedAt: String(item.receivedAt),
    authenticated: item.authenticated as boolean | null,
    warnings: Number(item.warnings),
  };
}

function decodeDay(item: Record<string, unknown>): DmarcDay {
  const number = (name: string) => Number(item[name] ?? 0);
  return {
    ...noMessages,
    day: String(item.day),
    reports: number('reports'),
    messages: number('passed') + number('failed'),
    passed: number('passed'),
    dkimAligned: number('dkimAligned'),
    spfAligned: number('spfAligned'),
    quarantined: number('quarantined'),
    rejected: number('rejected'),
  };
}
