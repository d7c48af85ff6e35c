/** Receives a mail at report mailboxes: finds the domains, applies their quotas, and ingests the mail for each. */
import type { Clock } from '../network/ports.ts';
import type { DomainReference, DomainStore } from '../store/domains/domains.ts';
import type { ReportMail } from '../store/reports/mail-outcomes.ts';
import type { IngestContext, ReportStores } from './context.ts';
import {
  ingestReportMail,
  type MailDependencies,
  type OpenedReportMail,
  openReportMail,
  type ReportMailContent,
} from './ingest-mail.ts';
import { admitMail, isFlooded, overQuota, recordUningested, type UningestedOutcome } from './quotas.ts';
import { localPartsAt, type StoredMail } from './ses-notification.ts';

export interface ReceiveDependencies extends Pick<MailDependencies, 'raw' | 'dns'> {
  readonly domains: Pick<DomainStore, 'ofMailbox'>;
  readonly stores: ReportStores;
  readonly clock: Clock;
}

export interface ReceiveOptions extends Pick<IngestContext, 'unauthenticated'> {
  /** The domain of the report mailboxes. */
  readonly reportsDomain: string;
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
 */
export async function receiveReportMail(
  stored: StoredMail,
  { domains, stores, raw, dns, clock }: ReceiveDependencies,
  { reportsDomain, unauthenticated, lastReceive }: ReceiveOptions,
): Promise<readonly Received[]> {
  const now = clock.now();
  const mailboxes = localPartsAt(reportsDomain, stored.recipients);
  const found = await Promise.all(mailboxes.map(domains.ofMailbox));
  const owners = found.flatMap((domain, at) => {
    if (domain === undefined) return [];
    return [{ domain, mail: { ...stored, alsoFor: mailboxes.toSpliced(at, 1) } }];
  });
  if (owners.length === 0) return [];
  if (lastReceive !== undefined) {
    for (const { domain, mail } of owners)
      await recordUningested({ ...mail, authentication: null }, notRead(lastReceive), domain, stores);
  }

  const floods = await Promise.all(owners.map(({ domain }) => isFlooded(domain, stores.rates, now)));
  const opened = await openReportMail(stored, { raw, dns, isFlooded: floods.includes(true) });
  if (opened === undefined) return owners.map(({ domain }) => ({ domain, outcomes: undefined }));
  const { authentication } = opened;
  const read = once(opened.read);
  const received: Received[] = [];
  for (const { domain, mail } of owners) {
    const isAdmitted = await admitMail(domain, authentication?.authenticated ?? null, stores.rates, now);
    const outcomes = isAdmitted
      ? await ingestReportMail(mail, await read(), { domain, unauthenticated }, { stores, now })
      : await recordUningested({ ...mail, authentication }, overQuota(authentication), domain, stores);
    received.push({ domain, outcomes });
  }
  return received;
}

/**
 * The outcome of a mail until it is read, recorded on the last receive. If its message ends in the dead-letter queue,
 * `replay` finds the mail by this outcome. The outcomes of its reports replace it; that of a mail over the quota does not.
 */
function notRead(lastReceive: number): UningestedOutcome {
  const reason = `it was received ${lastReceive} times, and not read to its end`;
  return { kind: 'not-read', source: 'mail', reason, report: null };
}

function once(read: OpenedReportMail['read']): () => Promise<ReportMailContent> {
  let reading: Promise<ReportMailContent> | undefined;
  return () => (reading ??= read());
}
