/**
 * Counting reports over any window of time, and finding the page of a list that lies deep in it, at a cost that does
 * not grow with the number of reports.
 *
 * Two items per day are kept in step with the reports, in the transaction that stores each:
 * - `<kind>DAY#<day>`: what the day's reports sum up to, in a few numbers. A window reads one such small item per day.
 * - `<kind>DETAIL#<day>`: the same by part of the day (compressed), for a window that begins or ends within a day and
 *   for a page that begins within one; and what else is kept by day, as a domain's sources are. A request reads at
 *   most three of them.
 *
 * The parts of a day follow the order of the reports' keys, by begin and then by id. Most periods begin on a full
 * hour, of whichever time zone: those are told apart by the first digit of their ids (hashes, so evenly spread), and
 * what begins within an hour is a part of its own. Where a part has to be cut, its reports are read from there on.
 */
import { gunzipSync } from 'node:zlib';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { domainPartition, type ReportKind, reportDayKey, reportDetailKey } from '../keys.ts';
import { found } from '../query.ts';
import type { Table } from '../table.ts';

/** `passed` and `failed` are messages of DMARC reports, connections of TLS reports. */
export interface Tally {
  readonly reports: number;
  readonly passed: number;
  readonly failed: number;
}

/** Times in ISO form to the millisecond, UTC: from `from` on and before `until`; without one, no bound. */
export interface Window {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/** A day's reports by part of the day, and what else a kind of report keeps by day. */
export interface DayDetail<Extra> {
  readonly parts: Readonly<Record<string, readonly [reports: number, passed: number, failed: number]>>;
  readonly extra: Extra;
}

/** What of a window lies on one day. */
export interface DayInWindow extends Tally {
  readonly day: string;
  /** Reports of the same day that begin at the end of the window or later. */
  readonly later: number;
}

const DAY_MILLISECONDS = 86_400_000;

export const dayOf = (time: string): string => time.slice(0, 10);

const lastDayBefore = (until: string): string => dayOf(new Date(Date.parse(until) - 1).toISOString());

const isMidnight = (time: string): boolean => time.endsWith('T00:00:00.000Z');

/** The second from which on a day's reports are not shown any more; undefined where they are kept for good. */
export function expiryOf(day: string, retentionDays: number): number | undefined {
  if (retentionDays === 0) return undefined;
  return (Date.parse(`${day}T00:00:00Z`) + (1 + retentionDays) * DAY_MILLISECONDS) / 1000;
}

/** How far ahead of its arrival a period may begin, by clocks that are wrong, and still be kept by its day. */
const MAX_LEAD_DAYS = 2;

/** The same for a report that is stored now: one whose period lies far ahead is kept no longer than any other. */
export function reportExpiry(begin: string, retentionDays: number, now: Date): number | undefined {
  const latest = new Date(now.getTime() + MAX_LEAD_DAYS * DAY_MILLISECONDS).toISOString();
  return expiryOf(dayOf(begin < latest ? begin : latest), retentionDays);
}

/** DynamoDB takes an expired item away some time later; readers do not see it meanwhile. */
export const isAlive = ({ expiresAt }: Record<string, unknown>, now: Date): boolean =>
  typeof expiresAt !== 'number' || expiresAt > now.getTime() / 1000;

/** The part of its day that a report belongs to: `07c` begins at 07:00 sharp, `07~` within that hour. */
export const partOf = (begin: string, id: string): string =>
  begin.slice(11, 13) + (isFullHour(begin) ? id.slice(0, 1) : '~');

const isFullHour = (time: string): boolean => time.slice(13) === ':00:00.000Z';

/** A sort key that comes after those of all reports of a part, and before those of the next. */
const endOfPart = (kind: ReportKind, day: string, part: string): string => {
  const hour = `${kind}#${day}T${part.slice(0, 2)}`;
  return part.endsWith('~') ? `${hour}~` : `${hour}:00:00.000Z#${part.slice(2)}~`;
};

/** Sort keys between which the reports of a window are; no report has one of them itself. */
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

export const readDetail = <Extra>(body: Uint8Array): DayDetail<Extra> =>
  JSON.parse(gunzipSync(body).toString('utf8'));

export function reportDays(table: Table, kind: ReportKind) {
  return {
    /** The counters of each day from `first` to `last`, newest first; days without reports are left out. */
    async whole(
      domainId: string,
      { first, last }: { first?: string | undefined; last?: string | undefined },
      now: Date,
    ): Promise<Record<string, unknown>[]> {
      const bound = (day: string) => reportDayKey(kind, domainId, day).sk;
      return query(domainId, { low: bound(first ?? ''), high: bound(last ?? '~') }, now);
    },

    /** What of a window lies on each day, newest first; days without reports are left out. */
    async within(domainId: string, window: Window, now: Date): Promise<DayInWindow[]> {
      const { from, until } = window;
      if (from !== undefined && until !== undefined && from >= until) return [];
      const [days, beforeFrom, afterUntil] = await Promise.all([
        this.whole(domainId, { first: from && dayOf(from), last: until && lastDayBefore(until) }, now),
        from === undefined || isMidnight(from) ? undefined : beginningFrom(domainId, from, now),
        until === undefined || isMidnight(until) ? noReports : beginningFrom(domainId, until, now),
      ]);
      return days.flatMap((item) => {
        const day = String(item.day);
        let tally = tallyOf(item);
        if (from !== undefined && beforeFrom !== undefined && day === dayOf(from)) tally = beforeFrom;
        const outside = until !== undefined && day === dayOf(until) ? afterUntil : noReports;
        tally = addTallies(tally, outside, -1);
        return tally.reports > 0 ? [{ day, ...tally, later: outside.reports }] : [];
      });
    },

    /**
     * Where to begin reading, newest first, to skip the first `skip` reports of a window: from below the key `high`,
     * passing over `skip` more. Undefined where the window holds no more than `skip`.
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
        // Counted from the end of the day, what lies after the window is to be passed over as well.
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

  /** What of a day begins at `time` or later. */
  async function beginningFrom(domainId: string, time: string, now: Date): Promise<Tally> {
    const day = dayOf(time);
    const hour = time.slice(11, 13);
    const fromPart = isFullHour(time) ? hour : `${hour}~~`;
    const [parts, cut] = await Promise.all([
      partsOf(domainId, day),
      isFullHour(time)
        ? []
        : query(
            domainId,
            {
              low: `${kind}#${time}`,
              high: endOfPart(kind, day, `${hour}~`),
              only: 'passed, failed, expiresAt',
            },
            now,
          ),
    ]);
    const wholeParts = parts
      .filter(([part]) => part >= fromPart)
      .map(([, [reports, passed, failed]]) => ({ reports, passed, failed }));
    const each = cut.map((item) => ({ ...tallyOf(item), reports: 1 }));
    return [...wholeParts, ...each].reduce((sum, tally) => addTallies(sum, tally), noReports);
  }

  async function partsOf(domainId: string, day: string) {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: reportDetailKey(kind, domainId, day) }),
    );
    const parts = Item === undefined ? {} : readDetail(Item.body).parts;
    return Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  async function query(
    domainId: string,
    { low, high, only }: { low: string; high: string; only?: string },
    now: Date,
  ) {
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :low AND :high',
      ExpressionAttributeValues: { ':pk': domainPartition(domainId), ':low': low, ':high': high },
      ScanIndexForward: false,
      ...(only === undefined ? {} : { ProjectionExpression: only }),
    };
    return found(table, query, { isWanted: (item) => isAlive(item, now) });
  }
}

const tallyOf = ({ reports, passed, failed }: Record<string, unknown>): Tally => ({
  reports: Number(reports ?? 0),
  passed: Number(passed ?? 0),
  failed: Number(failed ?? 0),
});
