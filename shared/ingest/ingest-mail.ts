/** Reads a mail that was sent to a report mailbox, and ingests its reports. */
import { hash } from 'node:crypto';
import { decodeWords } from '../mail-test/encoded-words.ts';
import type { Dns } from '../protocol/dns.ts';
import { authenticate } from '../protocol/message/authenticate.ts';
import type { MessageAuthentication } from '../protocol/message/authentication.ts';
import { readHeaderSection, valuesOf } from '../protocol/message/header-section.ts';
import { printable } from '../protocol/printable.ts';
import { ReadingTime } from '../reports/budget.ts';
import { isPlainFailure } from '../reports/failure-report.ts';
import { MAX_MESSAGE_BYTES } from '../reports/limits.ts';
import { readMail } from '../reports/read-mail.ts';
import type { ReportReading } from '../reports/report.ts';
import type { DomainReference } from '../store/domains/domains.ts';
import type { RawMessages } from '../store/raw-messages.ts';
import type { MailHead, MailOutcome, MailOutcomeKind, ReportMail } from '../store/reports/mail-outcomes.ts';
import { type IngestContext, ingestReports, type ReportStores } from './ingest-reports.ts';
import { type Patience, UNHURRIED, withPatience } from './sender-patience.ts';

/** A fetched message with its authentication result. */
interface OpenedMail {
  readonly authentication: MessageAuthentication | null;
  readonly head: MailHead;
  /** Reads its attachments. */
  readonly read: () => Promise<readonly ReportReading[]>;
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
 * After this time the sender counts as unknown, so that slow DNS servers do not delay reports. It is part of
 * MAX_READING_SECONDS; as much remains for reading.
 */
const AUTHENTICATION_MILLISECONDS = 5_000;
/** The timeout when the quota is used up: most of this mail will not be read. */
const FLOODED_MILLISECONDS = 2_000;

/**
 * Fetches and authenticates a message; undefined if it is no longer stored. Everything is evaluated as of the time of
 * arrival, so that a second read gives the same result.
 * @param known The authentication result from the first read, if any: DKIM keys may have been removed since.
 * @throws SilentSender if the mail is to be read again later.
 */
export async function openReportMail(
  { messageId, rawKey, receivedAt: now }: Pick<ReportMail, 'messageId' | 'rawKey' | 'receivedAt'>,
  { raw, dns, isFlooded = false, patience = UNHURRIED }: MailDependencies,
  known: MessageAuthentication | null = null,
): Promise<OpenedMail | undefined> {
  const message = await raw.read(rawKey, MAX_MESSAGE_BYTES);
  if (message === undefined) return undefined;
  if (message === 'too-large') {
    const detail = `the message is larger than ${MAX_MESSAGE_BYTES / 2 ** 20} MB`;
    const readings = [{ outcome: 'too-large', source: 'mail', detail }] as const;
    return { authentication: null, head: unknownHead, read: async () => readings };
  }
  const time = new ReadingTime();
  const milliseconds = isFlooded ? FLOODED_MILLISECONDS : AUTHENTICATION_MILLISECONDS;
  const authentication =
    typeof known?.authenticated === 'boolean'
      ? known
      : await withPatience(inBackground(dns), { ...patience, milliseconds }, (dns) =>
          authenticate(message, messageId, { dns, now }),
        );
  const head = { ...headOf(message), sha256: hash('sha256', message) };
  return { authentication, head, read: () => readMail(message, { now, time }) };
}

/** Only the first mail waits for a name server that does not answer, not every one from the same sender. */
const inBackground = (dns: Dns): Dns => ({
  lookup: (name, type, options) => dns.lookup(name, type, { ...options, retryInBackground: true }),
});

/** The domain of a mail, and how its reports are handled. */
export type MailContext = Pick<
  IngestContext,
  'domain' | 'unauthenticated' | 'restoresDeleted' | 'notifications'
> &
  /** By default, its reports raise alerts. */
  Partial<Pick<IngestContext, 'alerts'>>;

interface IngestInto {
  readonly stores: ReportStores;
  readonly now: Date;
}

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
  }: Pick<ReportMail, 'messageId' | 'receivedAt' | 'rawKey' | 'alsoFor'> & Partial<ReportMail>,
  readings: readonly ReportReading[],
  { authentication, head }: Pick<OpenedMail, 'authentication' | 'head'>,
  context: MailContext,
  { stores, now }: IngestInto,
): Promise<readonly MailOutcome[] | undefined> {
  const { authenticated = null, fromDomain = null } = authentication ?? {};
  const arrival = {
    ...{ receivedAt, rawKey, authenticated },
    ...(authenticated === true && fromDomain !== null && { authenticatedDomain: fromDomain }),
  };
  const mail = { messageId, receivedAt, rawKey, alsoFor, authentication, ...head };
  // Earlier outcomes are needed until all reports that they name are replaced or removed.
  const isOnly = readings.length === 1 && previous.length === 0;
  const how = { alerts: true, ...context, arrival, ...(isOnly && { mail }) };
  const ingested = await ingestReports(readings, how, stores, now);
  if (ingested === undefined) return undefined;
  const { outcomes, isMailStored } = ingested;
  if (isMailStored) return outcomes;
  await withdrawPrevious(previous, outcomes, { domain: context.domain, rawKey }, { stores, now });
  return (await stores.outcomes.store(context.domain, { ...mail, outcomes })) ? outcomes : undefined;
}

/** `message-gone`: the message is no longer stored. `domain-gone`: the domain was removed. */
type Replayed = readonly MailOutcome[] | 'message-gone' | 'domain-gone';

/** Reads a stored mail again: its new outcomes replace the earlier ones. Can be repeated at any time. */
export async function replayReportMail(
  mail: ReportMail,
  deps: Pick<MailDependencies, 'raw' | 'dns'>,
  context: MailContext,
  into: IngestInto,
): Promise<Replayed> {
  const opened = await openReportMail(mail, deps, mail.authentication);
  if (opened === undefined) return 'message-gone';
  return (await ingestReportMail(mail, await opened.read(), opened, context, into)) ?? 'domain-gone';
}

/** Where a report with an outcome is: among the reports or among the conflicts. Nothing is stored for other outcomes. */
const placeOf: { readonly [Kind in MailOutcomeKind]?: 'stored' | 'conflict' } = {
  accepted: 'stored',
  'accepted-with-warnings': 'stored',
  conflict: 'conflict',
};

/**
 * Removes what the message at `rawKey` stored according to its `previous` outcomes but not according to its `present`
 * ones. Reports of other messages are kept. Idempotent.
 */
async function withdrawPrevious(
  previous: readonly MailOutcome[],
  present: readonly MailOutcome[],
  { domain, rawKey }: { readonly domain: DomainReference; readonly rawKey: string },
  { stores, now }: IngestInto,
): Promise<void> {
  const { outcomes, dmarcReports, tlsReports, rollUp } = stores;
  const presentNames = new Set(present.map(nameOf));
  for (const outcome of previous) {
    const { kind, report } = outcome;
    if (!report || presentNames.has(nameOf(outcome))) continue;
    if (placeOf[kind] === 'conflict') await outcomes.withdrawConflict(domain, report, rawKey);
    if (placeOf[kind] !== 'stored') continue;
    const store = report.kind === 'DMARC' ? dmarcReports : tlsReports;
    const due = await store.withdraw(domain, report, rawKey, now);
    if (due !== null) await rollUp(domain, due);
  }
}

/** Equal for outcomes that are stored in the same place. */
function nameOf({ kind, report }: MailOutcome): string {
  const place = placeOf[kind];
  if (!report || place === undefined) return '';
  const { begin, id, contentHash } = report;
  return [place, report.kind, begin, id, ...(place === 'conflict' ? [contentHash] : [])].join();
}

/** All that is known about a mail is one item, so its texts are short. */
const MAX_CHARACTERS = 200;

/** What is known of a mail before it is read, or if it is too large to be read. */
export const unknownHead: MailHead = { from: null, subject: null };

/**
 * Reads the first From and Subject fields, shortened and without hidden characters; null if there is none. The subject of
 * a failure report is null: it often repeats that of the message that the report is about, which is personal data.
 */
function headOf(message: Uint8Array): MailHead {
  const section = readHeaderSection(message);
  const shown = (name: string) => {
    const [value] = valuesOf(section, name);
    return value === undefined ? null : printable(decodeWords(value), MAX_CHARACTERS);
  };
  const headers = new Map(section.fields.map(({ name, value }) => [name, value]));
  const isFailure = isPlainFailure(headers, new Uint8Array());
  return { from: shown('from'), subject: isFailure ? null : shown('subject') };
}
