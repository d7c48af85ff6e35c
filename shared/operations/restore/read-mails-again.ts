/**
 * Reads the report mails again that arrived after the point to which a table was restored. A mail that was read before keeps
 * its authentication result; any other is authenticated. So a forged mail is handled as when it arrived.
 */
import { localPartsAt } from '../../ingest/arrived-mail.ts';
import { ingestReportMail, openReportMail } from '../../ingest/ingest-mail.ts';
import { isIngested } from '../../ingest/quotas.ts';
import { semaphore } from '../../network/semaphore.ts';
import { readHeaderSection, valuesOf } from '../../protocol/message/header-section.ts';
import { readRecipient } from '../../protocol/message/receiver-trace.ts';
import { MAX_MESSAGE_BYTES } from '../../reports/limits.ts';
import type { DomainReference, DomainStore } from '../../store/domains/domains.ts';
import { type MailOutcome, mailOutcomeStore, type ReportMail } from '../../store/reports/mail-outcomes.ts';
import { type AuditDependencies, audited } from '../audit.ts';
import { subjectOf } from '../domains/on-domain.ts';
import type { ReplayDependencies } from '../reports/replay-report-mail.ts';
import { operation } from '../reports/replay-report-mails.ts';
import type { Restored } from './restored.ts';

/** Reading a mail is mostly waiting. */
const AT_ONCE = 10;

/** A mail is stored within seconds of its arrival, or minutes if SES had to try again. */
const STORED_WITHIN_MILLISECONDS = 15 * 60_000;

/** More than a message has in practice. */
const MAX_RECIPIENTS = 100;

/** The mails that arrived within the time of one object; more than the quota lets in. */
const ALL = 10_000;

/** A mail as far as its object tells. */
export type StoredMail = Pick<ReportMail, 'messageId' | 'rawKey' | 'receivedAt'>;

export interface ReadAgainDependencies extends Omit<ReplayDependencies, 'domains'>, AuditDependencies {
  readonly domains: Pick<DomainStore, 'ofMailbox'>;
  /** The domains of report mailboxes, also those before the present one. */
  readonly reportsDomains: readonly string[];
  /** The report mails in the bucket that were stored at a time or later. */
  readonly mailsSince: (since: Date) => Promise<readonly StoredMail[]>;
  /** Sums the reports of a domain for its organization. */
  readonly sumReports: (domain: DomainReference) => Promise<void>;
  /** Called after each mail, with how many were looked at. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface ReadAgain {
  /** Mails that were found. */
  readonly found: number;
  /** Mails that were read, beside those that the restored table has already, and for how many domains. */
  readonly read: number;
  readonly domains: number;
  readonly storedAlready: number;
  /** Mails for no domain of the table. */
  readonly unaddressed: number;
  readonly outcomes: readonly { readonly rawKey: string; readonly outcome: MailOutcome }[];
}

/** Safe to repeat: a mail whose outcomes are stored is not read again. */
export async function readMailsAgain(
  { at: since, old }: Restored,
  deps: ReadAgainDependencies,
): Promise<ReadAgain> {
  const { stores, clock, raw, dns, unauthenticated } = deps;
  const mails = await deps.mailsSince(since);
  const earlier = old && mailOutcomeStore(old, { retentionDays: 0 });
  const outcomes: ReadAgain['outcomes'][number][] = [];
  const changed = new Map<string, DomainReference>();
  let [done, storedAlready, unaddressed, read] = [0, 0, 0, 0];

  async function readFor(domain: DomainReference, arrived: Arrived, message: Uint8Array | 'too-large') {
    const before = await storedMail(stores.outcomes, domain, arrived, clock.now());
    if (before !== undefined && isIngested(before.outcomes)) {
      storedAlready += 1;
      return;
    }
    const known = before ?? (earlier && (await storedMail(earlier, domain, arrived, clock.now())));
    read += 1;
    changed.set(domain.id, domain);
    if (known?.outcomes.some(({ kind }) => kind === 'over-quota')) {
      await stores.outcomes.store(domain, known);
      for (const outcome of known.outcomes) outcomes.push({ rawKey: known.rawKey, outcome });
      return;
    }
    const mail = { ...(known ?? arrived), outcomes: [] };
    const reading = { raw: { ...raw, read: async () => message }, dns };
    const opened = await openReportMail(mail, reading, known?.authentication);
    if (opened === undefined) return;
    // What it alerts about was raised, and sent, when it arrived.
    const context = { domain, unauthenticated, alerts: false };
    const into = { stores, now: clock.now() };
    const ingested = await ingestReportMail(mail, await opened.read(), opened, context, into);
    for (const outcome of ingested ?? []) outcomes.push({ rawKey: mail.rawKey, outcome });
  }

  async function readOne(mail: StoredMail): Promise<void> {
    const message = await raw.read(mail.rawKey, MAX_MESSAGE_BYTES);
    const addresses =
      message === undefined || message === 'too-large' ? [] : recipients(message, mail.messageId);
    const mailboxes = localPartsAt(deps.reportsDomains, addresses).slice(0, MAX_RECIPIENTS);
    const found = await Promise.all(mailboxes.map((name) => deps.domains.ofMailbox(name)));
    if (message === undefined || found.every((domain) => domain === undefined)) unaddressed += 1;
    for (const [position, domain] of found.entries()) {
      if (domain === undefined || message === undefined) continue;
      await readFor(domain, { ...mail, alsoFor: mailboxes.toSpliced(position, 1) }, message);
    }
    done += 1;
    deps.onProgress(done, mails.length);
  }

  const inTurn = semaphore(AT_ONCE);
  await Promise.all(mails.map((mail) => inTurn(() => readOne(mail))));
  for (const domain of changed.values()) {
    await deps.sumReports(domain);
    await audited(operation, domain.organization, deps, { value: null, subjects: [subjectOf(domain)] });
  }
  return { found: mails.length, read, domains: changed.size, storedAlready, unaddressed, outcomes };
}

type Arrived = StoredMail & Pick<ReportMail, 'alsoFor'>;

async function storedMail(
  { list }: Pick<ReturnType<typeof mailOutcomeStore>, 'list'>,
  { id }: DomainReference,
  { messageId, receivedAt }: Arrived,
  now: Date,
): Promise<ReportMail | undefined> {
  const [from, until] = [-1, 1].map((sign) =>
    new Date(receivedAt.getTime() + sign * STORED_WITHIN_MILLISECONDS).toISOString(),
  );
  const found = await list(id, { window: { from, until }, page: 1, limit: ALL }, now);
  return found === 'too-many' ? undefined : found.mails.find((mail) => mail.messageId === messageId);
}

/**
 * The envelope is not kept, so the recipients are the one in the field that our mail server added, and those in the header:
 * a sender that can write the header can also send to these addresses.
 */
function recipients(message: Uint8Array, messageId: string): readonly string[] {
  const section = readHeaderSection(message);
  const fields = ['to', 'cc'].flatMap((name) => valuesOf(section, name));
  const named = fields.flatMap((field) => field.split(/[\s<>,;:"()]/)).filter((word) => word.includes('@'));
  return [readRecipient(section, messageId) ?? '', ...named];
}
