/** What the reports about a domain show of its mail, for its recommended changes. */
import { noReportedMail, type ReportedMail, sendsMail } from '../../shared/fixes/facts.ts';
import { isWithin } from '../../shared/protocol/domain-name.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import type { DmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import type { SummaryStore } from '../../shared/store/reports/summaries.ts';

/** Seasonal mail is sent once a year. */
const YEAR_DAYS = 366;
/** Silence for longer may be a mailbox that broke, not a domain without mail. */
const RECENT_DAYS = 30;

export interface ReportStores {
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
  readonly summaries: Pick<SummaryStore, 'eachDay'>;
}

/**
 * Reads the reports about `domain`. Reports whose sender was not authenticated count only as a sign that there is mail. Only
 * what is proposed for domains that send no mail depends on it, so nothing is read for others.
 */
export async function reportedMail(
  { id, domain, usageType }: Pick<Domain, 'id' | 'domain' | 'usageType'>,
  { reports, summaries }: ReportStores,
  now: Date,
): Promise<ReportedMail> {
  const to = now.toISOString().slice(0, 10);
  if (sendsMail({ usageType })) return noReportedMail;
  const year = await reports.timeline(id, { from: daysBefore(to, YEAR_DAYS), to }, now);
  const isBelow = (name: string | null) => name !== null && name !== domain && isWithin(name, domain);
  let isReported = false;
  let isFromSubdomains = false;
  for await (const day of summaries.eachDay(id, { from: daysBefore(to, RECENT_DAYS), to }, now)) {
    const authenticated = day.summaries.filter((report) => report.authenticated === true);
    isReported ||= authenticated.length > 0;
    isFromSubdomains ||= authenticated.some(({ records }) =>
      records.some(({ headerFrom }) => isBelow(headerFrom)),
    );
  }
  return { isReported, isAuthenticated: year.some(({ passed }) => passed > 0), isFromSubdomains };
}
