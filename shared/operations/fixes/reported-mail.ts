/** What the reports about a domain show of its mail, for its recommended changes. */
import { sendsMail } from '../../checks/state.ts';
import { isOtherCustomers } from '../../enforcement/sender-fields.ts';
import { passed, sendersOf } from '../../enforcement/senders.ts';
import { noReportedMail, type ReportedMail, type ReportedSender } from '../../fixes/facts.ts';
import { isWithin } from '../../protocol/domain-name.ts';
import { type DaySummary, withAuthenticated } from '../../reports/dmarc/summary/shapes.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { DecisionStore } from '../../store/enforcement/decisions.ts';
import type { DmarcReportStore } from '../../store/reports/dmarc-reports.ts';
import type { SummaryStore } from '../../store/reports/summaries.ts';
import { daysUntil } from '../reports/days.ts';

/** Seasonal mail is sent once a year. */
const YEAR_DAYS = 366;
/** Silence for longer may be a mailbox that broke, not a domain without mail. */
const RECENT_DAYS = 30;

export interface ReportedMailStores {
  readonly reports: Pick<DmarcReportStore, 'timeline'>;
  readonly summaries: Pick<SummaryStore, 'eachDay'>;
}

/**
 * Reads the reports about `domain`. Anyone can send a forged report, so only authenticated ones count. Only what is proposed
 * for domains that send no mail depends on it, so nothing is read for others.
 */
export async function reportedMail(
  { id, domain, usageType }: Pick<Domain, 'id' | 'domain' | 'usageType'>,
  { reports, summaries }: ReportedMailStores,
  now: Date,
): Promise<ReportedMail> {
  if (sendsMail(usageType)) return noReportedMail;
  const isBelow = (name: string | null) => name !== null && name !== domain && isWithin(name, domain);
  let isReported = false;
  let isFromSubdomains = false;
  for await (const day of authenticated(summaries.eachDay(id, daysUntil(now, RECENT_DAYS), now))) {
    isReported ||= day.summaries.length > 0;
    isFromSubdomains ||= day.summaries.some(({ records }) =>
      records.some(({ headerFrom }) => isBelow(headerFrom)),
    );
  }
  return { isReported, isAuthenticated: await isAuthenticated(), isFromSubdomains };

  /** The counters of days show where to look: they count all reports. */
  async function isAuthenticated(): Promise<boolean> {
    const year = await reports.timeline(id, daysUntil(now, YEAR_DAYS), now);
    const days = year.filter((day) => day.passed > 0).map(({ day }) => day);
    const [from, to] = [days.toSorted()[0], days.toSorted().at(-1)];
    if (from === undefined || to === undefined) return false;
    for await (const { summaries: found } of authenticated(summaries.eachDay(id, { from, to }, now)))
      if (found.some(({ records }) => records.some(passed))) return true;
    return false;
  }
}

/** Senders that may have to be listed in SPF: those that the owner approved, and those without a decision. */
export async function reportedSenders(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  {
    summaries,
    decisions,
  }: Pick<ReportedMailStores, 'summaries'> & { readonly decisions: Pick<DecisionStore, 'list'> },
  now: Date,
): Promise<readonly ReportedSender[]> {
  const days = authenticated(summaries.eachDay(id, daysUntil(now, RECENT_DAYS), now));
  const found = await sendersOf(domain, days, await decisions.list(id));
  return found.flatMap(({ id: sender, name, kind, status, spfAligned }) =>
    (status === 'approved' || status === null) && !isOtherCustomers(sender)
      ? [{ name, kind, status, spfAligned }]
      : [],
  );
}

async function* authenticated(days: AsyncIterable<DaySummary>): AsyncGenerator<DaySummary> {
  for await (const day of days) yield withAuthenticated(day);
}
