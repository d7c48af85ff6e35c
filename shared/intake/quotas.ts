/**
 * How much of what arrives is read and told: a report address stands in the DNS, so that everybody can write to it. The
 * busiest real mailboxes stay far below.
 */
import type { AlertDraft } from '../alerts/alert.ts';
import type { DomainReference } from '../store/domains.ts';
import type { MailOutcome, ReportMail } from '../store/mail-outcomes.ts';
import type { RateStore } from '../store/rates.ts';
import type { ReportStores } from './take-reports.ts';

const HOUR = 3_600_000;
const MAILS = { limit: 2_000, windowMilliseconds: HOUR };
/** Of each type, for a domain. */
const ALERTS = { limit: 200, windowMilliseconds: 24 * HOUR };

/** Counts a mail that came, and says whether it is to be read. */
export async function admitMail({ id }: DomainReference, rates: RateStore, now: Date): Promise<boolean> {
  return (await rates.counted('report-mails', id, MAILS, now)).allowed;
}

/** Keeps a mail that is not read, so that `replay` can; what was found in it before stays. Undefined where the domain is gone. */
export async function leaveUnread(
  { messageId, receivedAt, rawKey, alsoFor }: Omit<ReportMail, 'authentication' | 'outcomes'>,
  domain: DomainReference,
  stores: ReportStores,
): Promise<readonly MailOutcome[] | undefined> {
  const reason = `more than ${MAILS.limit.toLocaleString('en')} mails came within an hour`;
  const outcomes = [{ kind: 'over-quota', source: 'mail', reason, report: null }] as const;
  const mail = { messageId, receivedAt, rawKey, alsoFor, authentication: null, outcomes };
  return (await stores.outcomes.keep(domain, mail, 'unless-kept')) ? outcomes : undefined;
}

/** Raises an alert, unless there were enough of its type on the day. */
export async function raiseWithinQuota(
  draft: AlertDraft,
  domain: DomainReference,
  { alerts, rates }: ReportStores,
  now: Date,
): Promise<void> {
  const what = `alerts-${draft.type}`;
  if (await rates.isSpent(what, domain.id, ALERTS, now)) return;
  if (await alerts.raise(domain, draft, now)) await rates.counted(what, domain.id, ALERTS, now);
}
