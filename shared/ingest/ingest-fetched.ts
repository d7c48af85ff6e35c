/** Ingests a mail that was fetched from a mailbox, if it has reports about domains of the organization. */
import { createHash } from 'node:crypto';
import { once } from '../network/once.ts';
import type { Clock } from '../network/ports.ts';
import { semaphore } from '../network/semaphore.ts';
import type { Dns } from '../protocol/dns.ts';
import { canonicalName, isLookupName } from '../protocol/domain-name.ts';
import { reportFileName } from '../reports/file-name.ts';
import { domainsOf } from '../reports/own-part.ts';
import { readMail } from '../reports/read-mail.ts';
import type { ReportReading } from '../reports/report.ts';
import { noSettings, readOfSettings } from '../store/alerts/notification-settings.ts';
import type { Domain } from '../store/domains/domains.ts';
import type { WritableRawMessages } from '../store/raw-messages.ts';
import type { MailOutcome } from '../store/reports/mail-outcomes.ts';
import { ingestReportMail, openReportMail } from './ingest-mail.ts';
import type { IngestContext, ReportStores } from './ingest-reports.ts';
import { isIngested } from './quotas.ts';

export interface FetchedDependencies {
  readonly stores: ReportStores;
  readonly raw: Pick<WritableRawMessages, 'store'>;
  readonly dns: Dns;
  readonly clock: Clock;
  /** Where the service keeps report mails: the start of their keys. */
  readonly prefix: string;
}

/** The mailbox that a mail is from. */
export interface FetchedFrom extends Pick<IngestContext, 'unauthenticated'> {
  readonly id: string;
  readonly organization: string;
  /** When it was added; ISO 8601. Reports that arrived before raise no alerts and no events. */
  readonly createdAt: string;
  /** Finds domains of the organization. */
  readonly find: FindDomain;
}

/** What became of a mail. `other`: it is none of ours, and nothing of it is stored. */
export type FetchedOutcome =
  | { readonly status: 'other' }
  | { readonly status: 'stored'; readonly stored: readonly StoredFor[] };

interface StoredFor {
  readonly domain: Domain;
  readonly messageId: string;
  readonly outcomes: readonly MailOutcome[];
  /** Whether it was stored by an earlier run. */
  readonly isKnown: boolean;
}

/**
 * Stores the raw mail and its reports. Can be repeated at any time: the mail is known by its content, wherever it is in the
 * mailbox. It is authenticated as mail that arrives by SMTP is, except that nobody tells the address of its client: the
 * `Received` fields are those of a server that we do not know, so there is no SPF result.
 */
export async function ingestFetched(
  content: Uint8Array,
  arrivedAt: Date,
  from: FetchedFrom,
  deps: FetchedDependencies,
): Promise<FetchedOutcome> {
  const { stores, raw, dns, clock, prefix } = deps;
  const now = clock.now();
  const receivedAt = arrivedAt > now ? now : arrivedAt;
  const readings = await inTurn(() => readMail(content, { now: receivedAt }));
  const owners = await ownersOf(readings, from.find);
  if (owners.length === 0) return { status: 'other' };
  // Senders do not know the ID of the mailbox, so they cannot choose the ID of a mail.
  const messageId = createHash('sha256').update(from.id).update(content).digest('hex');
  const rawKey = `${prefix}${messageId}`;
  const settings = readOfSettings(from.organization);
  const records = owners.map((domain) => stores.outcomes.readOf(domain, { receivedAt, messageId }));
  const found = await stores.items.getMany([settings, ...records], { isConsistent: false });
  const isNew = receivedAt.toISOString() >= from.createdAt;
  const notifications = isNew ? { notifications: found.of(settings) ?? noSettings } : {};
  const opened = once(async () => {
    await raw.store(rawKey, content);
    const mail = { messageId, rawKey, receivedAt };
    const open = await openReportMail(mail, { raw: only(content), dns });
    if (open === undefined) throw new Error('the content of a mail is gone');
    return open;
  });
  const stored: StoredFor[] = [];
  for (const [at, domain] of owners.entries()) {
    const record = records[at];
    const known = record && found.of(record)?.outcomes;
    if (known !== undefined && isIngested(known)) {
      stored.push({ domain, messageId, outcomes: known, isKnown: true });
      continue;
    }
    const alsoFor = owners.toSpliced(at, 1).map((other) => other.mailbox);
    const outcomes = await ingestReportMail(
      { messageId, receivedAt, rawKey, alsoFor },
      readings,
      await opened(),
      { domain, unauthenticated: from.unauthenticated, alerts: isNew, ...notifications },
      { stores, now },
    );
    // Otherwise, the domain was removed meanwhile.
    if (outcomes !== undefined) stored.push({ domain, messageId, outcomes, isKnown: false });
  }
  return stored.length === 0 ? { status: 'other' } : { status: 'stored', stored };
}

/** The time that a mail may take is that of the thread, in which others must not be read meanwhile. */
const inTurn = semaphore(1);

/** The mail itself in place of the store that it is in. */
const only = (content: Uint8Array) => ({
  read: async () => content,
  remove: async () => {},
});

/** Finds a domain of the organization by its name (canonical form). */
type FindDomain = (name: string) => Promise<Domain | undefined>;

/**
 * The registered domains that a mail is about. A report belongs to the domain that its policy domain is, or is within; of
 * several, to the longest. What could not be read belongs to the domain in its file name. Failure reports belong to none: they
 * have parts of people's mail.
 */
async function ownersOf(readings: readonly ReportReading[], find: FindDomain): Promise<readonly Domain[]> {
  const owners = new Map<string, Domain>();
  for (const name of new Set(readings.flatMap(namesIn))) {
    const domain = await registered(name, find);
    if (domain !== undefined) owners.set(domain.id, domain);
  }
  return [...owners.values()];
}

function namesIn(reading: ReportReading): readonly string[] {
  if (reading.outcome === 'failure' || reading.outcome === 'not-a-report') return [];
  if ('identity' in reading) return domainsOf(reading);
  const named = reportFileName(reading.source);
  return named === undefined ? [] : [canonicalName(named.domain)];
}

/** The registered domain that `name` is, or the nearest one that it is within. */
async function registered(name: string, find: FindDomain): Promise<Domain | undefined> {
  if (!isLookupName(name)) return undefined;
  const labels = name.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const domain = await find(labels.slice(at).join('.'));
    if (domain !== undefined) return domain;
  }
  return undefined;
}
