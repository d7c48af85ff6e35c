/**
 * Sums over any time window, and the position of any page of a list, at a cost that does not grow with the number of
 * reports.
 *
 * Two items per day are updated in the transaction that stores each report:
 * - `<kind>DAY#<day>`: the sums of the day's reports. A window reads one such small item per day.
 * - `<kind>DETAIL#<day>`: the same by part of the day (compressed), for windows and pages that begin or end within a
 *   day, and other data kept per day, such as a domain's sources. A window or a page
 *   reads at most three of them, a list of sources one per day.
 *
 * The parts of a day follow the order of the reports' keys, by begin and then by id. Most periods begin on a full hour
 * of some time zone. Those reports are split by the first digit of their ids (hashes, so evenly distributed); reports
 * that begin within an hour form one part. If a window cuts a part, its reports are read.
 */
import * as z from 'zod/mini';
import { counter, packed } from '../item-schema.ts';
import { domainPartition, type ReportKind, reportDayKey, reportDetailKey } from '../keys.ts';
import { between } from '../query.ts';
import { expiryOf } from '../retention.ts';
import type { Table } from '../table.ts';
import { daySources } from './dmarc-sources.ts';

/** `passed` and `failed` count messages of DMARC reports, or connections of TLS reports. */
const tallySchema = z.object({ reports: counter, passed: counter, failed: counter });

export type Tally = Readonly<z.infer<typeof tallySchema>>;

/** The sums of one day (`2026-01-31`). TLS reports have no counts of messages. */
const dayItem = z.extend(tallySchema, {
  day: z.string(),
  dkimAligned: counter,
  spfAligned: counter,
  quarantined: counter,
  rejected: counter,
});

export type StoredDay = Readonly<z.infer<typeof dayItem>>;

/** A window in UTC: `from` inclusive, `until` exclusive, in ISO form with milliseconds; absent means unbounded. */
export interface Window {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

const dayDetail = z.object({
  /** The sums by part of the day: reports, passed, failed. */
  parts: z.record(z.string(), z.tuple([z.number(), z.number(), z.number()])),
  /** The sources of a day of DMARC reports. */
  extra: z.nullable(daySources),
  /** The ids of reports that were deleted and are not stored when they arrive again, oldest deletion first. */
  deleted: z.optional(z.readonly(z.array(z.string()))),
});

export type DayDetail = Readonly<z.infer<typeof dayDetail>>;

export const detailItem = z.object({ day: z.string(), revision: z.number(), body: packed(dayDetail) });

export type DetailItem = Readonly<z.infer<typeof detailItem>>;

/** The part of a window that is on one day. */
export interface DayInWindow extends Tally {
  readonly day: string;
  /** Reports of the same day that begin at or after the end of the window. */
  readonly later: number;
}

/**
 * The name of the attribute of a day that says that the summary of a report is not rolled up yet (`summaries.ts`):
 * the time of its begin and its id, as in its key. No other attribute begins with `T`.
 */
export const pendingAttribute = (begin: string, id: string): string => `${begin.slice(10)}#${id}`;

export const dayOf = (time: string): string => time.slice(0, 10);

const lastDayBefore = (until: string): string => dayOf(new Date(Date.parse(until) - 1).toISOString());

const isMidnight = (time: string): boolean => time.endsWith('T00:00:00.000Z');

/** The expiry of a report. The readers refuse one that begins more than MAX_LEAD_DAYS ahead. */
export const reportExpiry = (begin: string, retentionDays: number): number | undefined =>
  expiryOf(dayOf(begin), retentionDays);

/** The part of its day that a report belongs to: `07c` begins exactly at 07:00, `07~` within that hour. */
export const partOf = (begin: string, id: string): string =>
  begin.slice(11, 13) + (isFullHour(begin) ? id.slice(0, 1) : '~');

const isFullHour = (time: string): boolean => time.slice(13) === ':00:00.000Z';

/** A sort key after all reports of a part and before those of the next. */
const endOfPart = (kind: ReportKind, day: string, part: string): string => {
  const hour = `${kind}#${day}T${part.slice(0, 2)}`;
  return part.endsWith('~') ? `${hour}~` : `${hour}:00:00.000Z#${part.slice(2)}~`;
};

/** Sort keys that enclose the reports of a window. No report has one of these keys. */
export const keyBounds = (kind: ReportKind, { from, until }: Window): { low: string; high: string } => ({
  low: `${kind}#${from ?? ''}`,
  high: until === undefined ? `${kind}#~` : `${kind}#${until}`,
});

export const noReports: Tally = { reports: 0, passed: 0, failed: 0 };

export const addTallies = (a: Tally, b: Tally, sign: 1 | -1 = 1): Tally => ({
  reports: a.reports + sign * b.reports,
  passed: a.passed + sign * b.passed,
  failed: a.failed + sign * b.failed,
});

export function reportDays(table: Table, kind: ReportKind) {
  return {
    /** The counters of each day from `first` to `last`, newest first, without days that have no reports. */
    async whole(
      domainId: string,
      { first, last }: { first?: string | undefined; last?: string | undefined },
      now: Date,
    ): Promise<StoredDay[]> {
      const bound = (day: string) => reportDayKey(kind, domainId, day).sk;
      const range = between(domainPartition(domainId), bound(first ?? ''), bound(last ?? '~'));
      return table.query({ ...range, ScanIndexForward: false }, dayItem, { aliveAt: now });
    },

    /** The part of a window on each day, newest first, without days that have no reports. */
    async within(domainId: string, window: Window, now: Date): Promise<DayInWindow[]> {
      const { from, until } = window;
      if (from !== undefined && until !== undefined && from >= until) return [];
      const [days, beforeFrom, afterUntil] = await Promise.all([
        this.whole(domainId, { first: from && dayOf(from), last: until && lastDayBefore(until) }, now),
        from === undefined || isMidnight(from) ? undefined : beginningFrom(domainId, from, now),
        until === undefined || isMidnight(until) ? noReports : beginningFrom(domainId, until, now),
      ]);
      return days.flatMap((item) => {
        const { day, reports, passed, failed } = item;
        let tally: Tally = { reports, passed, failed };
        if (from !== undefined && beforeFrom !== undefined && day === dayOf(from)) tally = beforeFrom;
        const outside = until !== undefined && day === dayOf(until) ? afterUntil : noReports;
        tally = addTallies(tally, outside, -1);
        return tally.reports > 0 ? [{ day, ...tally, later: outside.reports }] : [];
      });
    },

    /**
     * Where to start reading, newest first, to skip the first `skip` reports of a window: below the key `high`,
     * skipping `skip` more. Undefined if the window has no more than `skip` reports.
     */
    async locate(
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
        const bounds = keyBounds(kind, window);
        if (left === 0) return { high: later > 0 ? bounds.high : `${kind}#${day}~`, skip: 0 };
        // Counted from the end of the day, reports after the window must be skipped too.
        left += later;
        for (const [part, [inPart]] of (await partsOf(domainId, day)).toReversed()) {
          if (left < inPart) return { high: endOfPart(kind, day, part), skip: left };
          left -= inPart;
        }
        return undefined;
      }
      return undefined;
    },
  };

  /** The sums of a day's reports that begin at `time` or later. */
  async function beginningFrom(domainId: string, time: string, now: Date): Promise<Tally> {
    const day = dayOf(time);
    const hour = time.slice(11, 13);
    const fromPart = isFullHour(time) ? hour : `${hour}~~`;
    const [parts, cut] = await Promise.all([
      partsOf(domainId, day),
      isFullHour(time)
        ? []
        : table.query(
            {
              ...between(domainPartition(domainId), `${kind}#${time}`, endOfPart(kind, day, `${hour}~`)),
              ProjectionExpression: 'pk, sk, passed, failed, expiresAt',
            },
            tallySchema,
            { aliveAt: now },
          ),
    ]);
    const wholeParts = parts
      .filter(([part]) => part >= fromPart)
      .map(([, [reports, passed, failed]]) => ({ reports, passed, failed }));
    const each = cut.map((item) => ({ ...item, reports: 1 }));
    return [...wholeParts, ...each].reduce((sum, tally) => addTallies(sum, tally), noReports);
  }

  async function partsOf(domainId: string, day: string) {
    const item = await table.get(reportDetailKey(kind, domainId, day), detailItem, {
      isConsistent: false,
    });
    return Object.entries(item?.body.parts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
