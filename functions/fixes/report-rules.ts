/** What the reports about a domain show of its mail, for its recommended changes. */
import { senderGroups } from '../../shared/enforcement/senders.ts';
import { noReportedMail, type ReportedMail, sendsMail } from '../../shared/fixes/facts.ts';
import { isWithin } from '../../shared/protocol/domain-name.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import type { RecordSummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import type { DmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import type { SummaryStore } from '../../shared/store/reports/summaries.ts';

/** Seasonal mail is sent once a year. */
const YEAR_DAYS = 366;
/** Silence for longer may be a mailbox that broke, not a domain without mail. */
const RECENT_DAYS = 30;
/** A person can compare this many with their own list. */
const MAX_SENDERS = 10;

export interface ReportStores {
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
  readonly summaries: Pick<SummaryStore, 'eachDay'>;
}

/**
 * Reads the reports about `domain`. Reports whose sender was not authenticated count only as a sign that there is mail. For
 * a domain that sends, only its senders matter, so it has none to read unless `namesSenders` asks for them.
 */
export async function reportedMail(
  { id, domain, usageType }: Pick<Domain, 'id' | 'domain' | 'usageType'>,
  { reports, summaries }: ReportStores,
  { now, namesSenders }: { readonly now: Date; readonly namesSenders: boolean },
): Promise<ReportedMail> {
  const to = now.toISOString().slice(0, 10);
  const sends = sendsMail({ usageType });
  if (sends && !namesSenders) return noReportedMail;
  const year = sends ? [] : await reports.timeline(id, { from: daysBefore(to, YEAR_DAYS), to }, now);
  let isReported = false;
  const records: RecordSummary[] = [];
  for await (const day of summaries.eachDay(id, { from: daysBefore(to, RECENT_DAYS), to }, now)) {
    const authenticated = day.summaries.filter((report) => report.authenticated === true);
    isReported ||= authenticated.length > 0;
    records.push(...authenticated.flatMap((report) => report.records));
  }
  return {
    isReported,
    isAuthenticated: year.some(({ passed }) => passed > 0),
    isFromSubdomains: records.some(
      ({ headerFrom }) => headerFrom !== null && headerFrom !== domain && isWithin(headerFrom, domain),
    ),
    senders: largestSenders(domain, records),
  };
}

function largestSenders(domain: string, records: readonly RecordSummary[]): readonly string[] {
  const { groupOf } = senderGroups(domain);
  const messages = new Map<string, number>();
  for (const record of records) {
    const { name } = groupOf(record);
    messages.set(name, (messages.get(name) ?? 0) + record.count);
  }
  return [...messages]
    .toSorted(([, some], [, others]) => others - some)
    .slice(0, MAX_SENDERS)
    .map(([name]) => name);
}
