/**
 * Lists of stored reports: a page of a window with the sums of the whole window, or of what a search finds in it.
 *
 * Their cost does not grow with the number of reports. A window reads the sums of each day, one small item. If it begins or
 * ends within a day, or a page does, it reads also the sums of the parts of that day; if it cuts a part, its reports.
 */
import * as z from 'zod/mini';
import type { ItemSchema } from '../item-schema.ts';
import { domainPartition, type ReportKind, reportDayKey } from '../keys.ts';
import { between, type Continuable, justBefore, type PageAfter, rowsOf } from '../query.ts';
import type { Table } from '../table.ts';
import { dayItem, dayOf, type StoredDay } from './days.ts';
import { isFullHour, partsOfDay, reportsBetween } from './roll-up.ts';
import type { ReportItem } from './stored-report.ts';

/** `passed` and `failed` count messages of DMARC reports, or connections of TLS reports. */
export type Tally = Readonly<Record<'reports' | 'passed' | 'failed', number>>;

/** A window in UTC: `from` inclusive, `until` exclusive, in ISO form with milliseconds; absent means unbounded. */
export interface Window {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** The part of a window that is on one day. */
export interface DayInWindow extends Tally {
  readonly day: string;
  /** Reports of the same day that begin at or after the end of the window. */
  readonly later: number;
}

export interface ReportPage<Stored> extends Continuable {
  readonly reports: readonly Stored[];
  /** Over the whole window. */
  readonly summary: Tally;
}

/** Which reports a search finds. */
interface ReportSearch<Stored> extends PageAfter {
  readonly window: Window;
  /** Which of the days, newest first, can have such reports; the reports of other days are not read. */
  readonly possible: (days: readonly DayInWindow[]) => Promise<ReadonlySet<string>>;
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
  return {
    daysFrom,

    /**
     * A page of the reports whose period begins in `window`, newest first. The position of a report is the begin of its period
     * and its ID.
     */
    async page(
      domainId: string,
      { window, page, limit, after }: { readonly window: Window } & PageAfter,
      now: Date,
    ): Promise<ReportPage<Stored>> {
      const within = await daysWithin(domainId, window, now);
      const summary = within.reduce<Tally>((sum, day) => addTallies(sum, day), noReports);
      const start =
        after === undefined
          ? await locate(domainId, within, { window, skip: (page - 1) * limit })
          : { high: `${kind}#${justBefore(after)}`, skip: 0 };
      if (start === undefined) return { reports: [], hasMore: false, last: undefined, summary };
      const range = between(domainPartition(domainId), keyBounds(kind, window).low, start.high);
      const wanted = { most: start.skip + limit + 1, aliveAt: now };
      const items = await table.query({ ...range, ScanIndexForward: false }, schema, wanted);
      const found = items.slice(start.skip);
      const reports = found.slice(0, limit);
      return { reports, hasMore: found.length > limit, last: lastOf(reports), summary };
    },

    /**
     * A page of the reports that a search finds, newest first; its summary covers all of them. Reads every report of the
     * days that can have some; `too-many` if these are too many, or their rows too large.
     */
    async search(
      domainId: string,
      { window, possible, matches, readsRows, ...page }: ReportSearch<Stored>,
      now: Date,
    ): Promise<ReportPage<Stored> | 'too-many'> {
      const days = await daysWithin(domainId, window, now);
      const runs = runsOf(days, await possible(days));
      const searched = runs.flat().reduce((sum, { reports }) => sum + reports, 0);
      if (searched > MAX_SEARCHED_REPORTS) return 'too-many';
      const bounds = keyBounds(kind, window);
      const { skip, end } = rowsOf(page);
      let found = 0;
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
          if (page.after !== undefined && positionOf(report) >= page.after) continue;
          found += 1;
          if (found > skip && found <= end) reports.push(report);
        }
      }
      return { reports, hasMore: found > end, last: lastOf(reports), summary };
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

  /** Each day from `first` to `last`, newest first, without days that never had reports. */
  async function daysFrom(
    domainId: string,
    { first, last }: { first?: string | undefined; last?: string | undefined },
    now: Date,
  ): Promise<StoredDay[]> {
    const bound = (day: string) => reportDayKey(kind, domainId, day).sk;
    const range = between(domainPartition(domainId), bound(first ?? ''), bound(last ?? '~'));
    return table.query({ ...range, ScanIndexForward: false }, dayItem, { aliveAt: now });
  }

  /** The part of a window on each day, newest first, without days that have no reports. */
  async function daysWithin(domainId: string, { from, until }: Window, now: Date): Promise<DayInWindow[]> {
    if (from !== undefined && until !== undefined && from >= until) return [];
    const [days, beforeFrom, afterUntil] = await Promise.all([
      daysFrom(domainId, { first: from && dayOf(from), last: until && lastDayBefore(until) }, now),
      from === undefined || isMidnight(from) ? undefined : beginningFrom(domainId, from),
      until === undefined || isMidnight(until) ? noReports : beginningFrom(domainId, until),
    ]);
    return days.flatMap((item) => {
      const { day } = item;
      const whole = from !== undefined && day === dayOf(from) ? (beforeFrom ?? item) : item;
      const outside = until !== undefined && day === dayOf(until) ? afterUntil : noReports;
      const tally = addTallies(whole, outside, -1);
      return tally.reports > 0 ? [{ day, ...tally, later: outside.reports }] : [];
    });
  }

  /**
   * Where to start reading, newest first, to skip the first `skip` reports of a window: below the key `high`,
   * skipping `skip` more. Undefined if the window has no more than `skip` reports.
   */
  async function locate(
    domainId: string,
    days: readonly DayInWindow[],
    { window, skip }: { window: Window; skip: number },
  ): Promise<{ high: string; skip: number } | undefined> {
    let left = skip;
    for (const { day, reports, later } of days) {
      if (left >= reports) {
        left -= reports;
        continue;
      }
      if (left === 0) return { high: later > 0 ? keyBounds(kind, window).high : `${kind}#${day}~`, skip: 0 };
      // Counted from the end of the day, reports after the window must be skipped too.
      left += later;
      for (const [part, [inPart]] of (await partsOfDay(table, [kind, domainId, day])).toReversed()) {
        if (left < inPart) return { high: endOfPart(kind, day, part), skip: left };
        left -= inPart;
      }
      return undefined;
    }
    return undefined;
  }

  /** The sums of a day's reports that begin at `time` or later. */
  async function beginningFrom(domainId: string, time: string): Promise<Tally> {
    const day = dayOf(time);
    const hour = time.slice(11, 13);
    const fromPart = isFullHour(time) ? hour : `${hour}~~`;
    const [parts, cut] = await Promise.all([
      partsOfDay(table, [kind, domainId, day]),
      isFullHour(time)
        ? []
        : reportsBetween(table, domainId, [`${kind}#${time}`, endOfPart(kind, day, `${hour}~`)]),
    ]);
    const wholeParts = parts.filter(([part]) => part >= fromPart).map(([, sums]) => sums);
    return [...wholeParts, ...cut.map(({ counts }) => [1, ...counts] as const)].reduce<Tally>(
      (sum, [reports, passed, failed]) => addTallies(sum, { reports, passed, failed }),
      noReports,
    );
  }
}

const positionOf = ({ begin, id }: Pick<ReportItem, 'begin' | 'id'>): string => `${begin}#${id}`;

function lastOf(reports: readonly Pick<ReportItem, 'begin' | 'id'>[]): string | undefined {
  const last = reports.at(-1);
  return last && positionOf(last);
}

const lastDayBefore = (until: string): string => dayOf(new Date(Date.parse(until) - 1).toISOString());

const isMidnight = (time: string): boolean => time.endsWith('T00:00:00.000Z');

/** A sort key after all reports of a part and before those of the next. */
const endOfPart = (kind: ReportKind, day: string, part: string): string => {
  const hour = `${kind}#${day}T${part.slice(0, 2)}`;
  return part.endsWith('~') ? `${hour}~` : `${hour}:00:00.000Z#${part.slice(2)}~`;
};

/** Sort keys that enclose the reports of a window. No report has one of these keys. */
const keyBounds = (kind: ReportKind, { from, until }: Window): { low: string; high: string } => ({
  low: `${kind}#${from ?? ''}`,
  high: until === undefined ? `${kind}#~` : `${kind}#${until}`,
});

const noReports: Tally = { reports: 0, passed: 0, failed: 0 };

const addTallies = (a: Tally, b: Tally, sign: 1 | -1 = 1): Tally => ({
  reports: a.reports + sign * b.reports,
  passed: a.passed + sign * b.passed,
  failed: a.failed + sign * b.failed,
});

/** Some of the days, in runs between which no other day has reports, so that a query reads each run. */
function runsOf(
  days: readonly DayInWindow[],
  some: ReadonlySet<string>,
): readonly (readonly DayInWindow[])[] {
  const runs: DayInWindow[][] = [[]];
  for (const day of days) {
    if (some.has(day.day)) runs.at(-1)?.push(day);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}
