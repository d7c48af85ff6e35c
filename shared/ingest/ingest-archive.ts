/**
 * Stores the reports of an archive: many small DMARC reports by one transaction. Archives raise no alerts and no events, and
 * their mails are not stored, so nothing else depends on a single report.
 */
import type { DmarcReading, ReportReading } from '../reports/report.ts';
import { MOST_TOGETHER } from '../store/reports/commit.ts';
import type { MailOutcome } from '../store/reports/mail-outcomes.ts';
import {
  type IngestContext,
  ingestReports,
  isBare,
  type Judged,
  judge,
  outcomeOf,
  type ReportStores,
  SelectorsOfReport,
} from './ingest-reports.ts';

type ArchiveContext = Pick<IngestContext, 'domain' | 'arrival' | 'unauthenticated'>;

/**
 * Stores reports like `ingestReports`, in which it is safe to repeat, too. Returns the outcome of each. Undefined if the
 * domain was removed.
 */
export async function ingestArchive(
  readings: readonly ReportReading[],
  context: ArchiveContext,
  stores: ReportStores,
  now: Date,
): Promise<ReadonlyMap<ReportReading, MailOutcome> | undefined> {
  const outcomes = new Map<ReportReading, MailOutcome>();
  const together = new Map<string, Together>();
  const alone: ReportReading[] = [];
  for (const reading of readings) {
    const judged = judge(reading, context);
    if (!('own' in judged)) outcomes.set(reading, judged);
    // The second of two reports with one id depends on the first one.
    else if (judged.own.outcome !== 'dmarc' || isBare(judged.own) || together.has(judged.report.id))
      alone.push(reading);
    else together.set(judged.report.id, { reading, judged, own: judged.own });
  }
  const all = [...together.values()];
  for (let at = 0; at < all.length; at += MOST_TOGETHER) {
    const some = all.slice(at, at + MOST_TOGETHER);
    const found = await storeTogether(some, context, stores, now);
    for (const [n, { reading }] of some.entries()) {
      const outcome = found[n];
      if (outcome === undefined) return undefined;
      outcomes.set(reading, outcome);
    }
  }
  const others = await ingestReports(alone, { ...context, alerts: false }, stores, now);
  if (others === undefined) return undefined;
  for (const [n, reading] of alone.entries()) {
    const outcome = others.outcomes[n];
    if (outcome !== undefined) outcomes.set(reading, outcome);
  }
  return outcomes;
}

/** A report that is stored together with others. */
interface Together {
  readonly reading: ReportReading;
  readonly judged: Judged;
  readonly own: DmarcReading;
}

async function storeTogether(
  some: readonly Together[],
  { domain, arrival }: ArchiveContext,
  stores: ReportStores,
  now: Date,
): Promise<readonly (MailOutcome | undefined)[]> {
  const seen = new Map<string, string>();
  const reports = await Promise.all(
    some.map(async ({ own: { report, identity, warnings, eachRecords } }) => {
      const selectors = new SelectorsOfReport(domain.domain, report.dateRangeBegin.slice(0, 10));
      const alongside = () => stores.selectors.alongsideReports(domain, selectors.seen);
      const received = { identity, arrival: { ...arrival, warnings: warnings.length }, alongside };
      const writer = stores.dmarcReports.begin(domain, report, received);
      await eachRecords((rows) => {
        writer.add(rows);
        selectors.add(rows);
      });
      for (const [name, day] of selectors.seen) if (day > (seen.get(name) ?? '')) seen.set(name, day);
      return writer.finish();
    }),
  );
  const alongside = stores.selectors.alongsideReports(domain, seen);
  const committed = await stores.dmarcReports.storeTogether(domain, reports, alongside, now);
  for (const { rollUp } of committed) if (rollUp !== null) await stores.rollUp(domain, rollUp);
  return some.map(({ judged }, n) => {
    const one = committed[n];
    return one && outcomeOf(one, judged);
  });
}
