/** What becomes of a mail that came to a report mailbox. */
import { dnsWithDeadline } from '../network/deadline.ts';
import type { Dns } from '../protocol/dns.ts';
import { authenticate, type MessageAuthentication } from '../protocol/message/authenticate.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import { readMail } from '../reports/read-mail.ts';
import type { ReportOutcome } from '../reports/report.ts';
import type { MailOutcome, ReportMail } from '../store/mail-outcomes.ts';
import type { RawMessages } from '../store/raw-messages.ts';
import { type ReportStores, type Taking, takeReports } from './take-reports.ts';
import { withdrawFormer } from './withdraw-former.ts';

export type MailToRead = Pick<ReportMail, 'messageId' | 'rawKey' | 'receivedAt'> & {
  /** What was found out when it came, where it is read again: keys may have been taken down since. */
  readonly authentication?: MessageAuthentication | null;
};

export interface ReadReportMail {
  readonly readings: readonly ReportOutcome[];
  readonly authentication: MessageAuthentication | null;
}

/**
 * Reads and authenticates a message; undefined where it is not there any more. It is judged by the time at which it
 * came, so that reading it again says the same.
 */
export async function readReportMail(
  { messageId, rawKey, receivedAt: now, authentication: known }: MailToRead,
  { raw, dns }: { raw: RawMessages; dns: Dns },
): Promise<ReadReportMail | undefined> {
  const message = await raw.read(rawKey, MAX_MESSAGE_BYTES);
  if (message === undefined) return undefined;
  if (message === 'too-large') {
    const detail = `the mail is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`;
    return { readings: [{ outcome: 'too-large', source: 'mail', detail }], authentication: null };
  }
  const [readings, authentication] = await Promise.all([
    readMail(message, { now }),
    typeof known?.authenticated === 'boolean'
      ? known
      : authenticate(message, messageId, {
          dns: dnsWithDeadline(dns, AbortSignal.timeout(AUTHENTICATION_MILLISECONDS)),
          now,
        }),
  ]);
  return { readings, authentication };
}

/** Reports are not held up by servers that do not answer; who sent them is then not known. */
const AUTHENTICATION_MILLISECONDS = 8_000;

/**
 * Stores what a mail brought for a domain, and its outcomes. May be done again at any time: where its reading is
 * another one by then, it takes the place of the former one, whose outcomes are `former`. Undefined where the domain is
 * gone, of which nothing is kept then.
 */
export async function takeReportMail(
  {
    messageId,
    receivedAt,
    rawKey,
    alsoFor,
    outcomes: former = [],
  }: Omit<ReportMail, 'authentication' | 'outcomes'> & Partial<Pick<ReportMail, 'outcomes'>>,
  { readings, authentication }: ReadReportMail,
  { domain, unauthenticated }: Pick<Taking, 'domain' | 'unauthenticated'>,
  { stores, now }: { stores: ReportStores; now: Date },
): Promise<readonly MailOutcome[] | undefined> {
  const arrival = { receivedAt, rawKey, authenticated: authentication?.authenticated ?? null };
  const taking: Taking = { domain, unauthenticated, arrival, alerts: true };
  const outcomes = await takeReports(readings, taking, stores, now);
  if (outcomes === undefined) return undefined;
  await withdrawFormer(former, outcomes, { domain, rawKey }, { stores, now });
  const mail = { messageId, receivedAt, rawKey, alsoFor, authentication, outcomes };
  return (await stores.outcomes.keep(domain, mail)) ? outcomes : undefined;
}
