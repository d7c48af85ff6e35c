/**
 * Quotas for ingesting report mail and raising alerts. A report address is public in DNS, so anyone can send mail to
 * it. The busiest real mailboxes stay far below these quotas. Authenticated mail (DMARC pass) and other mail have
 * separate quotas, so that forged mail cannot use up the quota of genuine reporters.
 */
import { hash } from 'node:crypto';
import type { MessageAuthentication } from '../protocol/message/authentication.ts';
import { formatNumber } from '../protocol/quantity.ts';
import type { AlertQuota } from '../store/alerts/dedupe-keys.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { Found } from '../store/items.ts';
import { passesIn, type RateStore, readOfRate } from '../store/rates/rates.ts';
import type { MailOutcome, MailOutcomeStore, ReportMail } from '../store/reports/mail-outcomes.ts';

const MAILS = { limit: 2_000, windowMilliseconds: 3_600_000 };
/**
 * Counting a mail is a write of its own. Below half of the limit, one mail of this many is counted, as that many; above
 * it, every mail is counted.
 */
const MAILS_PER_SAMPLE = 8;
/**
 * Per domain, alert type and day. Authenticated: a domain that begins to receive reports hears from up to 200 reporters at
 * once. Others: anyone can state any name, and few genuine reporters are not authenticated.
 */
const ALERTS_PER_DAY = { authenticated: 200, unauthenticated: 10 } as const;

type Authenticated = MessageAuthentication['authenticated'];

/** The quota that a mail counts against; an unknown authentication result counts as unauthenticated. */
const authClassOf = (authenticated: Authenticated): AlertQuota['authClass'] =>
  authenticated === true ? 'authenticated' : 'unauthenticated';

/** The quota of the alerts of one type about reports in such mails. */
export function alertQuota(authenticated: Authenticated): AlertQuota {
  const authClass = authClassOf(authenticated);
  return { authClass, limit: ALERTS_PER_DAY[authClass] };
}

const limitNames = {
  authenticated: 'report-mails',
  unauthenticated: 'report-mails-unauthenticated',
} as const;

export type MailQuotas = ReturnType<typeof mailQuotas>;

/** The quotas of the mails to a domain. `reads` are the reads of what was counted so far. */
export function mailQuotas({ id }: DomainReference, now: Date) {
  const counts = {
    authenticated: readOfRate(limitNames.authenticated, id),
    unauthenticated: readOfRate(limitNames.unauthenticated, id),
  };
  return {
    reads: [counts.authenticated, counts.unauthenticated],

    /** Whether the quota for unauthenticated mail is used up. */
    isFlooded: (found: Found): boolean =>
      passesIn(found.of(counts.unauthenticated), MAILS, now) >= MAILS.limit,

    /** Counts a received mail and returns whether to ingest it. `found` is what `reads` found. */
    async admit(
      messageId: string,
      authenticated: Authenticated,
      { found, rates }: { readonly found: Found; readonly rates: RateStore },
    ): Promise<boolean> {
      const authClass = authClassOf(authenticated);
      const stored = found.of(counts[authClass]);
      const isSampled = passesIn(stored, MAILS, now) < MAILS.limit / 2;
      if (isSampled && !isSample(messageId)) return true;
      const weight = isSampled ? MAILS_PER_SAMPLE : 1;
      const pass = { known: { stored }, weight };
      return (await rates.consume(limitNames[authClass], id, MAILS, now, pass)).allowed;
    },
  };
}

/** The mail server assigns the ids, so senders cannot choose them. */
const isSample = (messageId: string): boolean =>
  hash('sha256', messageId, 'buffer').readUInt8(0) % MAILS_PER_SAMPLE === 0;

/** The outcome of a mail that is not ingested, or not yet. */
export type UningestedOutcome = MailOutcome & { readonly kind: 'over-quota' | 'not-read' };

/** Whether these outcomes say that the mail was ingested. */
export const isIngested = (outcomes: readonly MailOutcome[]): boolean =>
  outcomes.every(({ kind }) => kind !== 'over-quota' && kind !== 'not-read');

/** The outcome of a mail that is not admitted. */
export function overQuota(authentication: MessageAuthentication | null): UningestedOutcome {
  const which = authentication?.authenticated === true ? '' : ' from unauthenticated senders';
  const reason = `more than ${formatNumber(MAILS.limit)} mails${which} arrived within an hour`;
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
  stores: { readonly outcomes: Pick<MailOutcomeStore, 'store'> },
): Promise<readonly MailOutcome[] | undefined> {
  const outcomes = [outcome];
  return (await stores.outcomes.store(domain, { ...mail, outcomes }, 'unless-stored')) ? outcomes : undefined;
}
