/** Lists of stored reports: a page of a window with the sums of the whole window, or of what a search finds in it. */
import * as z from 'zod/mini';
import type { ItemSchema } from '../item-schema.ts';
import { domainPartition, type ReportKind } from '../keys.ts';
import { between } from '../query.ts';
import type { Table } from '../table.ts';
import {
  addTallies,
  type DayInWindow,
  keyBounds,
  noReports,
  reportDays,
  type Tally,
  type Window,
} from './days.ts';
import type { ReportItem } from './stored-report.ts';

export interface ReportPage<Stored> {
  readonly reports: readonly Stored[];
  readonly hasMore: boolean;
  /** Over the whole window. */
  readonly summary: Tally;
}

/** Which reports a search finds. */
interface ReportSearch<Stored> {
  readonly window: Window;
  readonly page: number;
  readonly limit: number;
  /** Whether a day can have such reports; the reports of other days are not read. */
  readonly mayBeOn: (day: DayInWindow) => boolean;
  readonly matches: (report: Stored) => boolean | Promise<boolean>;
  /** Whether `matches` reads the rows of reports. */
  readonly readsRows: boolean;
}

/** The reports that a search reads at most, and the size of their rows as text in bytes. */
export const MAX_SEARCHED_REPORTS = 10_000;
const MAX_SEARCHED_OCTETS = 64 * 1024 * 1024;
/** How many reports a request reads while it looks for one. */
const SEARCHED_TOGETHER = 500;

const keyOnly = z.object({ sk: z.string() });

export function reportLists<Stored extends ReportItem>(
  table: Table,
  kind: ReportKind,
  schema: ItemSchema<Stored>,
) {
  const days = reportDays(table, kind);
  return {
    days,

    /** A page of the reports whose period begins in `window`, newest first. */
    async page(
      domainId: string,
      { window, page, limit }: { window: Window; page: number; limit: number },
      now: Date,
    ): Promise<ReportPage<Stored>> {
      const within = await days.within(domainId, window, now);
      const summary = within.reduce<Tally>((sum, day) => addTallies(sum, day), noReports);
      const start = await days.locate(domainId, within, { window, skip: (page - 1) * limit });
      const items =
        start === undefined
          ? []
          : await table.query(
              {
                ...between(domainPartition(domainId), keyBounds(kind, window).low, start.high),
                ScanIndexForward: false,
              },
              schema,
              { most: start.skip + limit + 1, aliveAt: now },
            );
      const onPage = items.slice(start?.skip ?? 0);
      return { reports: onPage.slice(0, limit), hasMore: onPage.length > limit, summary };
    },

    /**
     * A page of the reports that a search finds, newest first; its summary covers all of them. Reads every report of the
     * days that can have some; `too-many` if these are too many, or their rows too large.
     */
    async search(
      domainId: string,
      { window, page, limit, mayBeOn, matches, readsRows }: ReportSearch<Stored>,
      now: Date,
    ): Promise<ReportPage<Stored> | 'too-many'> {
      const runs = runsOf(await days.within(domainId, window, now), mayBeOn);
      const searched = runs.flat().reduce((sum, { reports }) => sum + reports, 0);
      if (searched > MAX_SEARCHED_REPORTS) return 'too-many';
      const bounds = keyBounds(kind, window);
      const end = page * limit;
      const reports: Stored[] = [];
      let summary = noReports;
      let octets = 0;
      for (const run of runs) {
        const low = `${kind}#${run.at(-1)?.day}`;
        const high = `${kind}#${run[0]?.day}~`;
        const range = between(
          domainPartition(domainId),
          low > bounds.low ? low : bounds.low,
          high < bounds.high ? high : bounds.high,
        );
        for await (const report of table.each({ ...range, ScanIndexForward: false }, schema, {
          aliveAt: now,
        })) {
          octets += readsRows ? report.rowOctets : 0;
          if (octets > MAX_SEARCHED_OCTETS) return 'too-many';
          if (!(await matches(report))) continue;
          const { passed, failed } = report;
          summary = addTallies(summary, { reports: 1, passed, failed });
          if (summary.reports > end - limit && summary.reports <= end) reports.push(report);
        }
      }
      return { reports, hasMore: summary.reports > end, summary };
    },

    /**
     * The begin of the report with this id; undefined if there is none in the window. Keys begin with it, so this looks
     * through them, newest first; `too-many` after MAX_SEARCHED_REPORTS.
     */
    async beginOf(
      domainId: string,
      { id, window }: { readonly id: string; readonly window: Window },
      now: Date,
    ): Promise<string | 'too-many' | undefined> {
      const { low, high } = keyBounds(kind, window);
      const query = {
        ...between(domainPartition(domainId), low, high),
        ProjectionExpression: 'pk, sk, expiresAt',
        ScanIndexForward: false,
      };
      let searched = 0;
      for await (const { sk } of table.each(query, keyOnly, { together: SEARCHED_TOGETHER, aliveAt: now })) {
        if (searched++ === MAX_SEARCHED_REPORTS) return 'too-many';
        if (sk.endsWith(`#${id}`)) return sk.slice(`${kind}#`.length, -`#${id}`.length);
      }
      return undefined;
    },
  };
}

/** The days that hold, in runs between which no other day has reports, so that a query reads each run. */
function runsOf(
  days: readonly DayInWindow[],
  holds: (day: DayInWindow) => boolean,
): readonly (readonly DayInWindow[])[] {
  const runs: DayInWindow[][] = [[]];
  for (const day of days) {
    if (holds(day)) runs.at(-1)?.push(day);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}
