/** Ingests a mail that was sent to a report mailbox. */
import type { Dns } from '../protocol/dns.ts';
import { authenticate } from '../protocol/message/authenticate.ts';
import type { MessageAuthentication } from '../protocol/message/authentication.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import { readMail } from '../reports/read-mail.ts';
import { ReadingTime } from '../reports/reading-time.ts';
import type { ReportReading } from '../reports/report.ts';
import type { RawMessages } from '../store/raw-messages.ts';
import type { MailHead, MailOutcome, ReportMail } from '../store/reports/mail-outcomes.ts';
import type { IngestContext, ReportStores } from './context.ts';
import { ingestReports } from './ingest-reports.ts';
import { headOf, unknownHead } from './mail-head.ts';
import { type Patience, UNHURRIED, withPatience } from './sender-patience.ts';
import { withdrawPrevious } from './withdraw-previous.ts';

type MailToRead = Pick<ReportMail, 'messageId' | 'rawKey' | 'receivedAt'> & {
  /** The authentication result from the first read, if any: DKIM keys may have been removed since. */
  readonly authentication?: MessageAuthentication | null;
};

export interface ReportMailContent {
  readonly readings: readonly ReportReading[];
  readonly authentication: MessageAuthentication | null;
  readonly head: MailHead;
}

/** A fetched message with its authentication result; its attachments have not been read yet. */
export interface OpenedReportMail extends Pick<ReportMailContent, 'authentication' | 'head'> {
  readonly read: () => Promise<ReportMailContent>;
}

export interface MailDependencies {
  readonly raw: RawMessages;
  readonly dns: Dns;
  /** Whether the quota is used up, so that authentication waits less for slow DNS servers. */
  readonly isFlooded?: boolean;
  /** How the mail waits for the DNS of its sender; by default as long as it takes. */
  readonly patience?: Omit<Patience, 'milliseconds'>;
}

/**
 * Fetches and authenticates a message; undefined if it is no longer stored. Everything is evaluated as of the time of
 * arrival, so that a second read gives the same result.
 * @throws SilentSender if the mail is to be read again later.
 */
export async function openReportMail(
  { messageId, rawKey, receivedAt: now, authentication: known }: MailToRead,
  { raw, dns, isFlooded = false, patience = UNHURRIED }: MailDependencies,
): Promise<OpenedReportMail | undefined> {
  const message = await raw.read(rawKey, MAX_MESSAGE_BYTES);
  if (message === undefined) return undefined;
  if (message === 'too-large') {
    const detail = `the message is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`;
    const opened = { authentication: null, head: unknownHead };
    const readings = [{ outcome: 'too-large', source: 'mail', detail }] as const;
    return { ...opened, read: async () => ({ readings, ...opened }) };
  }
  const time = new ReadingTime();
  const milliseconds = isFlooded ? FLOODED_MILLISECONDS : AUTHENTICATION_MILLISECONDS;
  const authentication =
    typeof known?.authenticated === 'boolean'
      ? known
      : await withPatience(inBackground(dns), { ...patience, milliseconds }, (dns) =>
          authenticate(message, messageId, { dns, now }),
        );
  const opened = { authentication, head: headOf(message) };
  return { ...opened, read: async () => ({ readings: await readMail(message, { now, time }), ...opened }) };
}

/** Only the first mail waits for a name server that does not answer, not every one from the same sender. */
function inBackground(dns: Dns): Dns {
  return {
    lookup: (name, type, options) => dns.lookup(name, type, { ...options, retryInBackground: true }),
  };
}

/**
 * After this time the sender counts as unknown, so that slow DNS servers do not delay reports. It is part of
 * MAX_READING_SECONDS; as much remains for reading.
 */
const AUTHENTICATION_MILLISECONDS = 5_000;
/** The timeout when the quota is used up: most of this mail will not be read. */
const FLOODED_MILLISECONDS = 2_000;

/** Opens and reads a message, without quotas. */
export async function readReportMail(
  mail: MailToRead,
  deps: MailDependencies,
): Promise<ReportMailContent | undefined> {
  return (await openReportMail(mail, deps))?.read();
}

/** The domain of a mail, and how its reports are handled. */
export type MailContext = Pick<
  IngestContext,
  'domain' | 'unauthenticated' | 'restoresDeleted' | 'notifications'
> &
  /** By default, its reports raise alerts. */
  Partial<Pick<IngestContext, 'alerts'>>;

/**
 * Stores the reports of a mail for a domain, and their outcomes. Can be repeated at any time: a new reading replaces
 * the previous one, whose outcomes are `outcomes`. Returns undefined, and stores no outcomes, if the domain was
 * removed.
 */
export async function ingestReportMail(
  {
    messageId,
    receivedAt,
    rawKey,
    alsoFor,
    outcomes: previous = [],
  }: Omit<ReportMail, keyof MailHead | 'authentication' | 'outcomes'> & Partial<Pick<ReportMail, 'outcomes'>>,
  { readings, authentication, head }: ReportMailContent,
  { domain, unauthenticated, restoresDeleted = false, alerts = true, notifications }: MailContext,
  { stores, now }: { stores: ReportStores; now: Date },
): Promise<readonly MailOutcome[] | undefined> {
  const { authenticated = null, fromDomain = null } = authentication ?? {};
  const arrival = {
    ...{ receivedAt, rawKey, authenticated },
    ...(authenticated === true && fromDomain !== null && { authenticatedDomain: fromDomain }),
  };
  const mail = { messageId, receivedAt, rawKey, alsoFor, authentication, ...head };
  // Earlier outcomes are needed until all reports that they name are replaced or withdrawn.
  const isOnly = readings.length === 1 && previous.length === 0;
  const context: IngestContext = {
    ...{ domain, unauthenticated, restoresDeleted, arrival, alerts },
    ...(notifications && { notifications }),
    ...(isOnly && { mail }),
  };
  const ingested = await ingestReports(readings, context, stores, now);
  if (ingested === undefined) return undefined;
  const { outcomes, isMailStored } = ingested;
  if (isMailStored) return outcomes;
  await withdrawPrevious(previous, outcomes, { domain, rawKey }, { stores, now });
  return (await stores.outcomes.store(domain, { ...mail, outcomes })) ? outcomes : undefined;
}
