/**
 * The record summaries of a domain's DMARC reports by day (`shared/reports/dmarc/summary`).
 *
 * A stored report is its own summary: its rows are in its item. Storing it only notes, in the counters of its day, that
 * it is pending. A roll-up merges the pending reports of a day into the day's two summary items, each at most 64 KB, and
 * removes the notes in the same transaction; each report is therefore counted once. Readers merge both. A window costs
 * two small items and a few pending reports per day, however many reports are stored.
 *
 * When a report was replaced or withdrawn, the day is rolled up from all of its reports.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { daysBefore, daysBetween } from '../../reports/day.ts';
import { fold } from '../../reports/dmarc/summary/fold.ts';
import type { DaySummary, ReportSummary } from '../../reports/dmarc/summary/shapes.ts';
import { summaryOf } from '../../reports/dmarc/summary/summarise.ts';
import { mergeSummaries } from '../../reports/dmarc/summary/sums.ts';
import type { DmarcRecordRow } from '../../reports/report.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { ConditionsFailed } from '../items.ts';
import { domainPartition, reportDayKey, reportKey, reportSummaryKey } from '../keys.ts';
import { between } from '../query.ts';
import type { Table, Write } from '../table.ts';
import type { RollUp } from './day-sums.ts';
import { keyBounds, pendingAttribute } from './days.ts';
import { dmarcReportItem } from './dmarc-reports.ts';
import { storedAs, storedReports } from './stored-report.ts';
import {
  needsAll,
  type SummaryItem,
  type SummaryShare,
  type SummaryState,
  shareOf,
  summaryItem,
  summaryShares,
  summaryStateItem,
} from './summary-items.ts';

/** Days such as `2026-01-31`, UTC, both included. */
interface SummaryWindow {
  readonly from: string;
  readonly to: string;
}

export type SummaryStore = ReturnType<typeof summaryStore>;

const KIND = 'DMARC';
/** How often a day is rolled up or read again after it changed meanwhile. */
const ATTEMPTS = 10;
/** The days that are read and held together. */
const DAYS_AT_ONCE = 16;
/** The maximum of BatchGetItem. */
const READS = 100;
/** The pending reports of a roll-up: their notes are removed in one expression of at most 4 KB. */
const MAX_TAKEN = 500;
/** A day with more reports is not read from all of them: until it is rolled up again, its last roll-up counts. */
const MAX_READ_ANEW = 64;

const readReport = storedAs(dmarcReportItem);

type StoredReport = ReturnType<typeof readReport.parse>;

export function summaryStore(table: Table) {
  return {
    /**
     * The summaries of the reports whose periods begin on the days of `window`, oldest day first, without days that have
     * no reports. Includes every report that is listed. Holds a few days in memory, however long the window is.
     */
    async *eachDay(domainId: string, { from, to }: SummaryWindow, now: Date): AsyncGenerator<DaySummary> {
      for (let left = daysBetween(from, to); left >= 0; left -= DAYS_AT_ONCE) {
        const last = Math.max(0, left - DAYS_AT_ONCE + 1);
        yield* await readDays(domainId, { from: daysBefore(to, left), to: daysBefore(to, last) }, now);
      }
    },

    /** The same, all in memory. */
    async readSummaries(domainId: string, window: SummaryWindow, now: Date): Promise<DaySummary[]> {
      const days: DaySummary[] = [];
      for await (const day of this.eachDay(domainId, window, now)) days.push(day);
      return days;
    },

    /**
     * Rolls up a day, or all days before a new one as far as time permits. Returns whether all of it is done. Idempotent;
     * does nothing if the domain was removed.
     */
    async rollUp(
      domain: DomainReference,
      { day, earlier }: RollUp,
      { now, hasTime }: { readonly now: Date; readonly hasTime: () => boolean },
    ): Promise<boolean> {
      const last = earlier ? daysBefore(day, 1) : day;
      const states = await statesOf(domain.id, { from: earlier ? '' : day, to: last }, now);
      for (const state of states.filter(isUnfinished)) {
        if (!hasTime()) return false;
        if (!(await rollUpDay(domain, state.day, now))) return true;
      }
      return true;
    },
  };

  async function readDays(domainId: string, window: SummaryWindow, now: Date): Promise<DaySummary[]> {
    const [states, items] = await Promise.all([
      statesOf(domainId, window, now),
      itemsOf(domainId, window, now),
    ]);
    const byDay = Map.groupBy(items, ({ day }) => day);
    const rolled = states.filter((state) => state.reports > 0 && !isReadAnew(state));
    const pending = await pendingOf(domainId, rolled);
    const days: DaySummary[] = [];
    for (const state of states.filter(({ reports }) => reports > 0)) {
      const { day } = state;
      const kept = byDay.get(day) ?? [];
      const summaries = isReadAnew(state)
        ? await fromAll(domainId, day)
        : isConsistent(state, kept)
          ? withPending(
              kept.flatMap(({ body }) => body),
              pending.get(day),
            )
          : mergeSummaries(await dayAgain(domainId, day, now));
      days.push({ day, summaries });
    }
    return days;
  }

  /** Returns false if the domain was removed. */
  async function rollUpDay(domain: DomainReference, day: string, now: Date): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const [[state], items] = await Promise.all([
        statesOf(domain.id, { from: day, to: day }, now, true),
        itemsOf(domain.id, { from: day, to: day }, now, true),
      ]);
      if (state === undefined || !isUnfinished(state)) return true;
      const taken = state.pending.slice(0, MAX_TAKEN);
      const left = new Set(state.pending.slice(MAX_TAKEN).map(({ id }) => id));
      const summaries = needsAll(state)
        ? await fromAll(domain.id, day, left)
        : [
            ...items.flatMap(({ body }) => body),
            ...((await pendingOf(domain.id, [{ ...state, pending: taken }])).get(day) ?? []),
          ];
      const failed = await table.tryTransact([
        isRegistered(domain),
        ...writesOf(domain, { ...state, pending: taken }, { summaries, items }),
      ]);
      if (failed.has(0)) return false;
      if (failed.size === 0) {
        if (left.size === 0) return true;
      } else {
        if (attempt === ATTEMPTS) throw new ConditionsFailed(failed);
        await sleep(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  /** The summaries of all reports of a day except some, merged as they are read. */
  async function fromAll(
    domainId: string,
    day: string,
    except: ReadonlySet<string> = new Set(),
  ): Promise<ReportSummary[]> {
    const bounds = keyBounds(KIND, { from: day, until: `${day}~` });
    const query = { ...between(domainPartition(domainId), bounds.low, bounds.high), ConsistentRead: true };
    let merged: ReportSummary[] = [];
    let some: ReportSummary[] = [];
    for await (const report of table.each(query, readReport)) {
      if (except.has(report.id)) continue;
      some.push(await summaryOfStored(domainId, report));
      if (some.length < READS) continue;
      merged = mergeSummaries([...merged, ...some]);
      some = [];
    }
    return mergeSummaries([...merged, ...some]);
  }

  /** The summaries of the pending reports of each day. */
  async function pendingOf(
    domainId: string,
    states: readonly SummaryState[],
  ): Promise<Map<string, ReportSummary[]>> {
    const reads = states.flatMap(({ day, pending }) =>
      pending.map(({ begin, id }) => ({
        day,
        read: { key: reportKey(KIND, domainId, begin, id), schema: readReport },
      })),
    );
    const byDay = new Map<string, ReportSummary[]>();
    for (let at = 0; at < reads.length; at += READS) {
      const some = reads.slice(at, at + READS);
      const found = await table.getMany(some.map(({ read }) => read));
      for (const { day, read } of some) {
        const report = found.of(read);
        // A report that was withdrawn meanwhile.
        if (report === undefined) continue;
        const summary = await summaryOfStored(domainId, report);
        byDay.set(day, [...(byDay.get(day) ?? []), summary]);
      }
    }
    return byDay;
  }

  async function summaryOfStored(domainId: string, stored: StoredReport): Promise<ReportSummary> {
    const rows = await storedReports(table, KIND, domainId).rowsOf<DmarcRecordRow>(stored);
    return summaryOf(stored.report, stored, rows);
  }

  /** A day that was rolled up between the reads of its state and of its items. */
  async function dayAgain(domainId: string, day: string, now: Date): Promise<ReportSummary[]> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const window = { from: day, to: day };
      const [[state], items] = await Promise.all([
        statesOf(domainId, window, now, true),
        itemsOf(domainId, window, now, true),
      ]);
      if (state === undefined) return [];
      if (!isConsistent(state, items)) continue;
      const pending = await pendingOf(domainId, [state]);
      return [...items.flatMap(({ body }) => body), ...(pending.get(day) ?? [])];
    }
    throw new Error(`the summaries of ${day} keep changing`);
  }

  function statesOf(
    domainId: string,
    { from, to }: SummaryWindow,
    now: Date,
    ConsistentRead = false,
  ): Promise<SummaryState[]> {
    const bound = (day: string) => reportDayKey(KIND, domainId, day).sk;
    const range = between(domainPartition(domainId), bound(from), bound(to));
    return table.query({ ...range, ConsistentRead }, summaryStateItem, { aliveAt: now });
  }

  function itemsOf(
    domainId: string,
    { from, to }: SummaryWindow,
    now: Date,
    ConsistentRead = false,
  ): Promise<SummaryItem[]> {
    const range = between(
      domainPartition(domainId),
      reportSummaryKey(domainId, from, '').sk,
      reportSummaryKey(domainId, to, '~').sk,
    );
    return table.query({ ...range, ConsistentRead }, summaryItem, { aliveAt: now });
  }
}

/** What is rolled up has no two summaries with the same facts. */
const withPending = (
  rolledUp: readonly ReportSummary[],
  pending: readonly ReportSummary[] | undefined,
): readonly ReportSummary[] => (pending === undefined ? rolledUp : mergeSummaries([...rolledUp, ...pending]));

const isUnfinished = (state: SummaryState): boolean => state.pending.length > 0 || needsAll(state);

/** Whether a changed day is read from all of its reports: if there are few, or no roll-up to fall back on. */
const isReadAnew = (state: SummaryState): boolean =>
  needsAll(state) && (state.rolledUp === 0 || state.reports <= MAX_READ_ANEW);

/** Whether these items belong to this state: a roll-up writes at least one of them. */
const isConsistent = ({ rolledUp }: SummaryState, items: readonly SummaryItem[]): boolean =>
  rolledUp === Math.max(0, ...items.map((item) => item.rolledUp));

/** Writes the summaries of a day, unless another roll-up did so meanwhile, or a report was replaced or withdrawn. */
function writesOf(
  { id }: DomainReference,
  { day, rolledUp, changed, pending, expiresAt }: SummaryState,
  {
    summaries,
    items,
  }: { readonly summaries: readonly ReportSummary[]; readonly items: readonly SummaryItem[] },
): Write[] {
  const expiring = expiresAt === undefined ? {} : { expiresAt };
  const notes = pending.map((one) => pendingAttribute(one.begin, one.id));
  const removal = notes.length === 0 ? '' : ` REMOVE ${notes.map((_, at) => `#${at}`).join(', ')}`;
  const byShare = Map.groupBy(summaries, shareOf);
  const isNeeded = (share: SummaryShare) => byShare.has(share) || items.some((item) => item.share === share);
  const needed = summaryShares.filter(isNeeded);
  return [
    {
      Update: {
        Key: reportDayKey(KIND, id, day),
        UpdateExpression: `SET rolledUp = :next, changedBefore = :changed${removal}`,
        ConditionExpression: [
          'attribute_exists(pk)',
          rolledUp === 0 ? 'attribute_not_exists(rolledUp)' : 'rolledUp = :before',
          changed === 0 ? 'attribute_not_exists(changed)' : 'changed = :changed',
        ].join(' AND '),
        ...(notes.length > 0 && {
          ExpressionAttributeNames: Object.fromEntries(notes.map((name, at) => [`#${at}`, name])),
        }),
        ExpressionAttributeValues: {
          ':next': rolledUp + 1,
          ':changed': changed,
          ...(rolledUp > 0 && { ':before': rolledUp }),
        },
      },
    },
    ...(needed.length === 0 ? summaryShares : needed).map((share) => ({
      Put: {
        Item: {
          ...reportSummaryKey(id, day, share),
          ...{ day, share, rolledUp: rolledUp + 1, ...expiring },
          body: fold(byShare.get(share) ?? []).encoded,
        },
      },
    })),
  ];
}
