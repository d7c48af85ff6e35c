/** What becomes of a mail that came to a report mailbox. */
import { dnsWithDeadline } from '../network/deadline.ts';
import type { Dns } from '../protocol/dns.ts';
import { authenticate, type MessageAuthentication } from '../protocol/message/authenticate.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import { readMail } from '../reports/read-mail.ts';
import type { ReportOutcome } from '../reports/report.ts';
import type { RawMessages } from '../store/raw-messages.ts';
import type { MailOutcome, ReportMail } from '../store/reports/mail-outcomes.ts';
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

/** A message of which is known who sent it, and not yet what is in it. */
export interface OpenedReportMail extends Pick<ReadReportMail, 'authentication'> {
  readonly read: () => Promise<ReadReportMail>;
}

interface MailParts {
  readonly raw: RawMessages;
  readonly dns: Dns;
  /** Whether so much comes that servers which are slow to answer are not waited for. */
  readonly isFlooded?: boolean;
}

/**
 * Fetches and authenticates a message; undefined where it is not there any more. It is judged by the time at which it
 * came, so that reading it again says the same.
 */
export async function openReportMail(
  { messageId, rawKey, receivedAt: now, authentication: known }: MailToRead,
  { raw, dns, isFlooded = false }: MailParts,
): Promise<OpenedReportMail | undefined> {
  const message = await raw.read(rawKey, MAX_MESSAGE_BYTES);
  if (message === undefined) return undefined;
  if (message === 'too-large') {
    const detail = `the mail is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`;
    const authentication = null;
    const readings = [{ outcome: 'too-large', source: 'mail', detail }] as const;
    return { authentication, read: async () => ({ readings, authentication }) };
  }
  const patience = AbortSignal.timeout(isFlooded ? FLOODED_MILLISECONDS : AUTHENTICATION_MILLISECONDS);
  const authentication =
    typeof known?.authenticated === 'boolean'
      ? known
      : await authenticate(message, messageId, { dns: dnsWithDeadline(dns, patience), now });
  return {
    authentication,
    read: async () => ({ readings: await readMail(message, { now }), authentication }),
  };
}

/** Reports are not held up by servers that do not answer; who sent them is then not known. */
const AUTHENTICATION_MILLISECONDS = 8_000;
/** Most of a flood costs no more than this, for all that is found out is that it is not to be read. */
const FLOODED_MILLISECONDS = 2_000;

/** Opens a message and reads it, however many came. */
export async function readReportMail(
  mail: MailToRead,
  parts: MailParts,
): Promise<ReadReportMail | undefined> {
  return (await openReportMail(mail, parts))?.read();
}

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
