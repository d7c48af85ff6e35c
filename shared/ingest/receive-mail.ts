/** Receives a mail at report mailboxes: finds the domains, applies their quotas, and ingests the mail for each. */
import { once } from '../network/once.ts';
import type { Clock } from '../network/ports.ts';
import { noSettings, readOfSettings, type StoredSettings } from '../store/alerts/notification-settings.ts';
import type { DomainReference, DomainStore } from '../store/domains/domains.ts';
import type { Found } from '../store/items.ts';
import type { ReportMail } from '../store/reports/mail-outcomes.ts';
import { type ArrivedMail, localPartsAt } from './arrived-mail.ts';
import { ingestReportMail, type MailDependencies, openReportMail, unknownHead } from './ingest-mail.ts';
import type { IngestContext, ReportStores } from './ingest-reports.ts';
import {
  isIngested,
  type MailQuotas,
  mailQuotas,
  overQuota,
  recordUningested,
  type UningestedOutcome,
} from './quotas.ts';

interface ReceiveDependencies extends Pick<MailDependencies, 'raw' | 'dns'> {
  readonly domains: Pick<DomainStore, 'ofMailbox'>;
  readonly stores: ReportStores;
  readonly clock: Clock;
}

interface ReceiveOptions extends Pick<IngestContext, 'unauthenticated'> {
  /** The domains of the report mailboxes. */
  readonly reportsDomains: readonly string[];
  readonly patience: NonNullable<MailDependencies['patience']>;
  /** On the last receive, how often the mail has been received; if this receive fails too, there is no other. */
  readonly lastReceive?: number;
}

/** The outcomes of the mail for one domain; undefined if the mail or the domain no longer exists. */
export interface Received {
  readonly domain: DomainReference;
  readonly outcomes: ReportMail['outcomes'] | undefined;
}

/**
 * Ingests the mail for each domain whose mailbox is among its recipients. The mail is authenticated and read once. Can be
 * repeated at any time.
 * @throws SilentSender if the mail is to be received again later.
 */
export async function receiveReportMail(
  arrived: ArrivedMail,
  { domains, stores, raw, dns, clock }: ReceiveDependencies,
  { reportsDomains, unauthenticated, patience, lastReceive }: ReceiveOptions,
): Promise<readonly Received[]> {
  const now = clock.now();
  const mailboxes = localPartsAt(reportsDomains, arrived.recipients);
  const found = await Promise.all(mailboxes.map(domains.ofMailbox));
  const open = found.flatMap((domain, at) => {
    if (domain === undefined) return [];
    const { messageId, receivedAt, rawKey } = arrived;
    const mail = { messageId, receivedAt, rawKey, alsoFor: mailboxes.toSpliced(at, 1) };
    return [recipientOf(domain, mail, stores, now)];
  });
  const all = await Promise.all(open);
  // The outcomes of a mail are stored last, so nothing is left to do for such a mail.
  const received: Received[] = all.flatMap(({ domain, outcomes }) =>
    outcomes === undefined ? [] : [{ domain, outcomes }],
  );
  const owners = all.filter(({ outcomes }) => outcomes === undefined);
  if (owners.length === 0) return received;
  if (lastReceive !== undefined) {
    for (const { domain, mail } of owners)
      await recordUningested(
        { ...mail, ...unknownHead, authentication: null },
        notRead(lastReceive),
        domain,
        stores,
      );
  }

  const isFlooded = owners.some(({ quotas, counted }) => quotas.isFlooded(counted));
  const opened = await openReportMail(arrived, { raw, dns, isFlooded, patience });
  if (opened === undefined)
    return [...received, ...owners.map(({ domain }) => ({ domain, outcomes: undefined }))];
  const { authentication, head } = opened;
  const read = once(opened.read);
  for (const { domain, mail, quotas, counted, notifications } of owners) {
    const { rates } = stores;
    const authenticated = authentication?.authenticated ?? null;
    const isAdmitted = await quotas.admit(arrived.messageId, authenticated, { found: counted, rates });
    const outcomes = isAdmitted
      ? await ingestReportMail(
          mail,
          await read(),
          opened,
          { domain, unauthenticated, notifications },
          { stores, now },
        )
      : await recordUningested(
          { ...mail, ...head, authentication },
          overQuota(authentication),
          domain,
          stores,
        );
    received.push({ domain, outcomes });
  }
  return received;
}

/** A mail of one domain, and what one request finds out about both. */
interface Recipient {
  readonly domain: DomainReference;
  readonly mail: Pick<ReportMail, 'messageId' | 'receivedAt' | 'rawKey' | 'alsoFor'>;
  readonly quotas: MailQuotas;
  readonly counted: Found;
  readonly notifications: StoredSettings;
  /** The outcomes of the mail if it was ingested before. */
  readonly outcomes: ReportMail['outcomes'] | undefined;
}

async function recipientOf(
  domain: DomainReference,
  mail: Recipient['mail'],
  { outcomes: mails, items }: ReportStores,
  now: Date,
): Promise<Recipient> {
  const before = mails.readOf(domain, mail);
  const quotas = mailQuotas(domain, now);
  const settings = readOfSettings(domain.organization);
  const counted = await items.getMany([before, settings, ...quotas.reads], { isConsistent: false });
  const outcomes = counted.of(before)?.outcomes;
  const isDone = outcomes !== undefined && isIngested(outcomes);
  const notifications = counted.of(settings) ?? noSettings;
  return { domain, mail, quotas, counted, notifications, outcomes: isDone ? outcomes : undefined };
}

/**
 * The outcome of a mail until it is read, recorded on the last receive. If its message ends in the dead-letter queue,
 * `replay` finds the mail by this outcome. The outcomes of its reports replace it; that of a mail over the quota does not.
 */
function notRead(lastReceive: number): UningestedOutcome {
  const reason = `it was received ${lastReceive} times, and not read to its end`;
  return { kind: 'not-read', source: 'mail', reason, report: null };
}
