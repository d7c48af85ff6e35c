/**
 * Quotas for ingesting report mail and raising alerts. A report address is public in DNS, so anyone can send mail to
 * it. The busiest real mailboxes stay far below these quotas. Authenticated mail (DMARC pass) and other mail have
 * separate quotas, so that forged mail cannot use up the quota of genuine reporters.
 */
import type { ReportAlertDraft } from '../alerts/alert.ts';
import type { MessageAuthentication } from '../protocol/message/authentication.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { RateStore } from '../store/rates/rates.ts';
import type { MailOutcome, ReportMail } from '../store/reports/mail-outcomes.ts';
import type { IngestContext, ReportStores } from './context.ts';

const HOUR = 3_600_000;
const MAILS = { limit: 2_000, windowMilliseconds: HOUR };
/** Per domain and alert type. */
const ALERTS = { limit: 200, windowMilliseconds: 24 * HOUR };

type Authenticated = MessageAuthentication['authenticated'];

/** The quota that a mail counts against; an unknown authentication result counts as unauthenticated. */
const shareOf = (what: string, authenticated: Authenticated): string =>
  authenticated === true ? what : `${what}-unproven`;

/** Counts a received mail and returns whether to ingest it. */
export async function admitMail(
  { id }: DomainReference,
  authenticated: Authenticated,
  rates: RateStore,
  now: Date,
): Promise<boolean> {
  return (await rates.consume(shareOf('report-mails', authenticated), id, MAILS, now)).allowed;
}

/** Whether the quota for unauthenticated mail is used up. */
export function isFlooded({ id }: DomainReference, rates: RateStore, now: Date): Promise<boolean> {
  return rates.isExhausted(shareOf('report-mails', null), id, MAILS, now);
}

/** The outcome of a mail that is not ingested, or not yet. */
export type UningestedOutcome = MailOutcome & { readonly kind: 'over-quota' | 'not-read' };

/** The outcome of a mail that `admitMail` refused. */
export function overQuota(authentication: MessageAuthentication | null): UningestedOutcome {
  const which = authentication?.authenticated === true ? '' : ' from unauthenticated senders';
  const reason = `more than ${MAILS.limit.toLocaleString('en')} mails${which} arrived within an hour`;
  return { kind: 'over-quota', source: 'mail', reason, report: null };
}

/**
 * Records that a mail is not ingested, or not yet, so that a later `replay` finds it; earlier outcomes are kept. Undefined
 * if the domain was removed.
 */
export async function recordUningested(
  mail: Omit<ReportMail, 'outcomes'>,
  outcome: UningestedOutcome,
  domain: DomainReference,
  stores: ReportStores,
): Promise<readonly MailOutcome[] | undefined> {
  const outcomes = [outcome];
  return (await stores.outcomes.store(domain, { ...mail, outcomes }, 'unless-stored')) ? outcomes : undefined;
}

/** Raises an alert, unless the daily quota of its type is used up. */
export async function raiseWithinQuota(
  draft: ReportAlertDraft,
  { domain, arrival }: Pick<IngestContext, 'domain' | 'arrival'>,
  { alerts, rates }: ReportStores,
  now: Date,
): Promise<void> {
  const what = shareOf(`alerts-${draft.type}`, arrival.authenticated);
  if (await rates.isExhausted(what, domain.id, ALERTS, now)) return;
  if (await alerts.raise(domain, draft, now)) await rates.consume(what, domain.id, ALERTS, now);
}
