/**
 * How much of what arrives is read and told: a report address stands in the DNS, so that everybody can write to it. The
 * busiest real mailboxes stay far below. Mail that is proven to be from whom it says (DMARC) and mail that is not have a
 * budget each, so that forged mail takes nothing from honest reporters.
 */
import type { AlertDraft } from '../alerts/alert.ts';
import type { MessageAuthentication } from '../protocol/message/authenticate.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { RateStore } from '../store/rates/rates.ts';
import type { MailOutcome, ReportMail } from '../store/reports/mail-outcomes.ts';
import type { ReportStores, Taking } from './take-reports.ts';

const HOUR = 3_600_000;
const MAILS = { limit: 2_000, windowMilliseconds: HOUR };
/** Of each type, for a domain. */
const ALERTS = { limit: 200, windowMilliseconds: 24 * HOUR };

type Authenticated = MessageAuthentication['authenticated'];

/** Whose budget it is; what could not be found out is not proven. */
const shareOf = (what: string, authenticated: Authenticated): string =>
  authenticated === true ? what : `${what}-unproven`;

/** Counts a mail that came, and says whether it is to be read. */
export async function admitMail(
  { id }: DomainReference,
  authenticated: Authenticated,
  rates: RateStore,
  now: Date,
): Promise<boolean> {
  return (await rates.counted(shareOf('report-mails', authenticated), id, MAILS, now)).allowed;
}

/** Whether so much came of which nobody knows who sent it that more of it would not be read. */
export function isFlooded({ id }: DomainReference, rates: RateStore, now: Date): Promise<boolean> {
  return rates.isSpent(shareOf('report-mails', null), id, MAILS, now);
}

/** Keeps a mail that is not read, so that `replay` can; what was found in it before stays. Undefined where the domain is gone. */
export async function leaveUnread(
  { messageId, receivedAt, rawKey, alsoFor, authentication }: Omit<ReportMail, 'outcomes'>,
  domain: DomainReference,
  stores: ReportStores,
): Promise<readonly MailOutcome[] | undefined> {
  const which = authentication?.authenticated === true ? '' : ' that are not proven to be from whom they say';
  const reason = `more than ${MAILS.limit.toLocaleString('en')} mails${which} came within an hour`;
  const outcomes = [{ kind: 'over-quota', source: 'mail', reason, report: null }] as const;
  const mail = { messageId, receivedAt, rawKey, alsoFor, authentication, outcomes };
  return (await stores.outcomes.keep(domain, mail, 'unless-kept')) ? outcomes : undefined;
}

/** Raises an alert, unless there were enough of its type on the day. */
export async function raiseWithinQuota(
  draft: AlertDraft,
  { domain, arrival }: Pick<Taking, 'domain' | 'arrival'>,
  { alerts, rates }: ReportStores,
  now: Date,
): Promise<void> {
  const what = shareOf(`alerts-${draft.type}`, arrival.authenticated);
  if (await rates.isSpent(what, domain.id, ALERTS, now)) return;
  if (await alerts.raise(domain, draft, now)) await rates.counted(what, domain.id, ALERTS, now);
}
