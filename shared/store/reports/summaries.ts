/**
 * The record summaries of a domain's DMARC reports by day (`shared/reports/dmarc/summary`), and the roll-up that makes them.
 *
 * A stored report is its own summary: its rows are in its item. Storing it only notes that it waits. A roll-up adds the
 * reports of a day that wait to what was rolled up of it, at most 64 KB each of authenticated reports and of others, and
 * takes their notes away in the same transaction; each report is therefore counted once. Readers add those that wait. A window
 * costs one item and a few waiting reports per day, however many reports are stored.
 *
 * When a report was replaced or removed, the day is rolled up from all of its reports.
 */
import { daysBefore } from '../../reports/day.ts';
import { fold } from '../../reports/dmarc/summary/encoding.ts';
import type { DaySummary, ReportSummary } from '../../reports/dmarc/summary/shapes.ts';
import { summaryOf } from '../../reports/dmarc/summary/summarise.ts';
import { mergeSummaries } from '../../reports/dmarc/summary/sums.ts';
import type { DmarcRecordRow } from '../../reports/report.ts';
import { untilUncontended } from '../contention.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { domainPartition, type ReportKind, reportDayKey, reportKey, reportRollUpKey } from '../keys.ts';
import { between, type Query } from '../query.ts';
import type { Table } from '../table.ts';
import { type DayReport, dayItem, isChanged, type RollUp, rolledUpDay, type StoredDay } from './days.ts';
import { type Sources, sourcesOf } from './dmarc-sources.ts';
import {
  addToParts,
  isSameRollUp,
  type RolledUpDay,
  readDay,
  reportsOfDay,
  rolledUpItem,
} from './roll-up.ts';
import { dmarcReportItem, storedAs, storedReports } from './stored-report.ts';

/** Days such as `2026-01-31`, UTC, both included. */
interface SummaryWindow {
  readonly from: string;
  readonly to: string;
}

export type SummaryStore = ReturnType<typeof summaryStore>;

type Day = RolledUpDay<ReturnType<typeof rolledUpItem.parse>>;

/** The days that are read and held together. */
const DAYS_AT_ONCE = 16;
/** The maximum of BatchGetItem. */
const READS = 100;
/** The waiting reports of a roll-up: their notes are removed in one expression of at most 4 KB. */
const MOST_TAKEN = 500;
/** A day with more reports is not read from all of them: until it is rolled up again, its last roll-up counts. */
const MOST_READ_ANEW = 64;

const dmarcReport = storedAs(dmarcReportItem);

export function summaryStore(table: Table) {
  return {
    eachDay,

    /** Those of `eachDay`, all in memory. */
    async readSummaries(domainId: string, window: SummaryWindow, now: Date): Promise<DaySummary[]> {
      const days: DaySummary[] = [];
      for await (const day of eachDay(domainId, window, now)) days.push(day);
      return days;
    },

    /** The sources that sent as the domain on the days of `window`, most messages first. */
    sources: (
      { id, domain }: Pick<DomainReference, 'id' | 'domain'>,
      window: SummaryWindow,
      now: Date,
    ): Promise<Sources> => sourcesOf(domain, eachDay(id, window, now)),

    /** Those of some days, newest first, that can have reports with messages from an address. */
    async daysWithSource(
      domainId: string,
      days: readonly string[],
      address: string,
      now: Date,
    ): Promise<ReadonlySet<string>> {
      const [to = '', from = ''] = [days[0], days.at(-1)];
      const found = new Set<string>();
      for await (const { day, summaries } of eachDay(domainId, { from, to }, now)) {
        const records = summaries.flatMap((one) => one.records);
        if (records.some(({ sourceIp }) => sourceIp === address || sourceIp === null)) found.add(day);
      }
      return found;
    },

    /**
     * Rolls up a day, or all days before a new one as far as time permits. Returns whether all of it is done. Idempotent;
     * does nothing if the domain was removed.
     */
    async rollUp(
      domain: DomainReference,
      { kind, day, earlier }: RollUp,
      { now, hasTime }: { readonly now: Date; readonly hasTime: () => boolean },
    ): Promise<boolean> {
      const last = earlier ? daysBefore(day, 1) : day;
      const query = daysIn(reportDayKey, kind, domain.id, earlier ? '' : day, last);
      const states = await table.query(query, dayItem, { aliveAt: now });
      for (const state of states.filter(isUnfinished)) {
        if (!hasTime()) return false;
        if (!(await rollUpDay(domain, kind, state.day))) return true;
      }
      return true;
    },
  };

  /**
   * The summaries of the reports whose periods begin on the days of `window`, oldest day first, without days that have
   * no reports. Includes every report that is listed. Holds a few days in memory, however long the window is.
   * @param signer The name of the domain, if the messages that it signed are in each summary, too.
   */
  async function* eachDay(
    domainId: string,
    { from, to }: SummaryWindow,
    now: Date,
    signer?: string,
  ): AsyncGenerator<DaySummary> {
    const query = daysIn(reportDayKey, 'DMARC', domainId, from, to);
    const found = await table.query(query, dayItem, { aliveAt: now });
    const states = found.filter(({ reports }) => reports > 0);
    for (let at = 0; at < states.length; at += DAYS_AT_ONCE)
      for (const day of await rolledUpDays(domainId, states.slice(at, at + DAYS_AT_ONCE)))
        yield { day: day.state.day, summaries: await summariesOf(domainId, day, signer) };
  }

  /** Days, with what was rolled up of each; without those that are gone by now. */
  async function rolledUpDays(domainId: string, states: readonly StoredDay[]): Promise<Day[]> {
    const [from = '', to = ''] = [states[0]?.day, states.at(-1)?.day];
    const items = await table.query(daysIn(reportRollUpKey, 'DMARC', domainId, from, to), rolledUpItem);
    const byDay = new Map(items.map((item) => [item.day, item]));
    const days: Day[] = [];
    for (const state of states) {
      const rolledUp = byDay.get(state.day);
      const day = isSameRollUp(state, rolledUp)
        ? { state, rolledUp }
        : await readDay(table, ['DMARC', domainId, state.day], rolledUpItem, true);
      if (day !== null) days.push(day);
    }
    return days;
  }

  async function summariesOf(
    domainId: string,
    { state, rolledUp }: Day,
    signer: string | undefined,
  ): Promise<readonly ReportSummary[]> {
    if (isChanged(state) && (rolledUp === undefined || state.reports <= MOST_READ_ANEW))
      return withReports(domainId, signer, [], await reportsOfDay(table, ['DMARC', domainId, state.day]));
    return withReports(domainId, signer, summariesIn(rolledUp), state.waiting);
  }

  /** Returns false if the domain was removed. */
  function rollUpDay(domain: DomainReference, kind: ReportKind, day: string): Promise<boolean> {
    const key = [kind, domain.id, day] as const;
    return untilUncontended(async () => {
      const before = await readDay(table, key, rolledUpItem, true);
      if (before === null || !isUnfinished(before.state)) return true;
      const all = isChanged(before.state) ? await reportsOfDay(table, key) : undefined;
      // What arrives after the reports were read waits for the next roll-up.
      const after = all === undefined ? before : await readDay(table, key, rolledUpItem, true);
      const { state } = before;
      if (after?.state.rolledUp !== state.rolledUp || after.state.changed !== state.changed) return undefined;
      const seen = new Set([...state.waiting, ...(all ?? [])].map(({ id }) => id));
      const known = after.state.waiting.filter(({ id }) => seen.has(id));
      const taken = known.slice(0, MOST_TAKEN);
      const left = new Set(known.slice(MOST_TAKEN).map(({ id }) => id));
      const added = all?.filter(({ id }) => !left.has(id)) ?? taken;
      const base = all === undefined ? before.rolledUp : undefined;
      const Item = {
        ...reportRollUpKey(kind, domain.id, day),
        ...{ day, rolledUp: state.rolledUp + 1, parts: addToParts(base?.parts ?? {}, added) },
        ...(kind === 'DMARC' &&
          encoded(await withReports(domain.id, domain.domain, summariesIn(base), added))),
        expiresAt: state.expiresAt,
      };
      const update = rolledUpDay(kind, domain.id, state, taken);
      const failed = await table.tryTransact([isRegistered(domain), update, { Put: { Item } }]);
      if (failed.has(0)) return false;
      if (failed.size > 0) return undefined;
      return left.size === 0 || rollUpDay(domain, kind, day);
    });
  }

  /** Summaries with those of some reports added, as they are read. */
  async function withReports(
    domainId: string,
    signer: string | undefined,
    summaries: readonly ReportSummary[],
    reports: readonly DayReport[],
  ): Promise<readonly ReportSummary[]> {
    const { rowsOf } = storedReports(table, 'DMARC', domainId);
    let merged = summaries;
    for (let at = 0; at < reports.length; at += READS) {
      const reads = reports
        .slice(at, at + READS)
        .map(({ begin, id }) => ({ key: reportKey('DMARC', domainId, begin, id), schema: dmarcReport }));
      const found = await table.getMany(reads);
      const some: ReportSummary[] = [];
      for (const read of reads) {
        const report = found.of(read);
        // Undefined if it was removed meanwhile.
        if (report !== undefined)
          some.push(summaryOf(report.report, report, await rowsOf<DmarcRecordRow>(report), signer));
      }
      merged = mergeSummaries([...merged, ...some]);
    }
    return merged;
  }
}

/** The items with these keys from one day to another. */
const daysIn = (
  keyOf: typeof reportDayKey,
  kind: ReportKind,
  domainId: string,
  from: string,
  to: string,
): Query => between(domainPartition(domainId), keyOf(kind, domainId, from).sk, keyOf(kind, domainId, to).sk);

const isUnfinished = (state: StoredDay): boolean => state.waiting.length > 0 || isChanged(state);

const summariesIn = (rolledUp: Day['rolledUp']): readonly ReportSummary[] =>
  rolledUp === undefined ? [] : [...rolledUp.authenticated, ...rolledUp.unauthenticated];

/** An unknown sender counts as unauthenticated. */
function encoded(summaries: readonly ReportSummary[]) {
  const byClass = Map.groupBy(summaries, ({ authenticated }) =>
    authenticated === true ? 'authenticated' : 'unauthenticated',
  );
  return Object.fromEntries([...byClass].map(([authClass, some]) => [authClass, fold(some).encoded]));
}
