/**
 * Reads the report mails again that arrived after the point to which a table was restored. A mail that was read before keeps
 * its authentication result; any other is authenticated. So a forged mail is handled as when it arrived.
 */
import { inboundMail } from '../../../functions/triggers.ts';
import { localPartsAt } from '../../../shared/ingest/arrived-mail.ts';
import { ingestReportMail, openReportMail } from '../../../shared/ingest/ingest-mail.ts';
import { isIngested } from '../../../shared/ingest/quotas.ts';
import { semaphore } from '../../../shared/network/semaphore.ts';
import { subjectOf } from '../../../shared/operations/domains/on-domain.ts';
import { operation } from '../../../shared/operations/reports/replay-report-mails.ts';
import { readHeaderSection, valuesOf } from '../../../shared/protocol/message/header-section.ts';
import { readRecipient } from '../../../shared/protocol/message/receiver-trace.ts';
import { pluralize } from '../../../shared/protocol/quantity.ts';
import { MAX_MESSAGE_BYTES } from '../../../shared/reports/limits.ts';
import type { DomainReference } from '../../../shared/store/domains/domains.ts';
import { mailOutcomeStore, type ReportMail } from '../../../shared/store/reports/mail-outcomes.ts';
import type { AdminDependencies, StoredObject } from '../command.ts';
import { audited } from '../perform.ts';
import { Tally } from '../tally.ts';
import type { Restored } from './carry-over.ts';

/** Reading a mail is mostly waiting. */
const AT_ONCE = 10;

/** A mail is stored within seconds of its arrival, or minutes if SES had to try again. */
const STORED_WITHIN_MILLISECONDS = 15 * 60_000;

/** More than a message has in practice. */
const MAX_RECIPIENTS = 100;

/** The mails that arrived within the time of one object; more than the quota lets in. */
const ALL = 10_000;

export interface ReadAgain {
  readonly lines: readonly string[];
  /** How many mails were read, beside those that the restored table has already. */
  readonly read: number;
}

/** Safe to repeat: a mail whose outcomes are stored is not read again. */
export async function readAgain(
  { table, at, old }: Restored,
  deps: Pick<AdminDependencies, 'deployment' | 'progress' | 'raw' | 'dns' | 'stores' | 'sumReports'> &
    Pick<AdminDependencies, 'domains' | 'clock' | 'audit' | 'unauthenticated' | 'reportsDomains'>,
): Promise<ReadAgain> {
  const { prefix } = inboundMail.reports;
  const { progress, clock } = deps;
  const objects = await deps.deployment().objectsSince(prefix, at);
  const stores = deps.stores();
  const earlier = old && mailOutcomeStore(old, { retentionDays: 0 });
  const [raw, dns, unauthenticated] = [deps.raw(), deps.dns(), deps.unauthenticated()];
  const tally = new Tally();
  const changed = new Map<string, DomainReference>();
  let [done, present, unaddressed, read] = [0, 0, 0, 0];

  async function readFor(domain: DomainReference, arrived: Arrived, message: Uint8Array | 'too-large') {
    const before = await storedMail(stores.outcomes, domain, arrived, clock.now());
    if (before !== undefined && isIngested(before.outcomes)) {
      present += 1;
      return;
    }
    const known = before ?? (earlier && (await storedMail(earlier, domain, arrived, clock.now())));
    read += 1;
    changed.set(domain.id, domain);
    if (known?.outcomes.some(({ kind }) => kind === 'over-quota')) {
      await stores.outcomes.store(domain, known);
      for (const outcome of known.outcomes) tally.add(known.rawKey, outcome);
      return;
    }
    const mail = { ...(known ?? arrived), outcomes: [] };
    const reading = { raw: { ...raw, read: async () => message }, dns };
    const opened = await openReportMail(mail, reading, known?.authentication);
    if (opened === undefined) return;
    // What it alerts about was raised, and sent, when it arrived.
    const context = { domain, unauthenticated, alerts: false };
    const into = { stores, now: clock.now() };
    const outcomes = await ingestReportMail(mail, await opened.read(), opened, context, into);
    for (const outcome of outcomes ?? []) tally.add(mail.rawKey, outcome);
  }

  async function readObject({ key, storedAt }: StoredObject): Promise<void> {
    const message = await raw.read(key, MAX_MESSAGE_BYTES);
    const messageId = key.slice(prefix.length);
    const addresses = message === undefined || message === 'too-large' ? [] : recipients(message, messageId);
    const mailboxes = localPartsAt(deps.reportsDomains(), addresses).slice(0, MAX_RECIPIENTS);
    const found = await Promise.all(mailboxes.map((name) => deps.domains.ofMailbox(name)));
    if (message === undefined || found.every((domain) => domain === undefined)) unaddressed += 1;
    for (const [position, domain] of found.entries()) {
      if (domain === undefined || message === undefined) continue;
      const alsoFor = mailboxes.toSpliced(position, 1);
      await readFor(domain, { messageId, rawKey: key, receivedAt: storedAt, alsoFor }, message);
    }
    done += 1;
    progress.show(done, objects.length);
  }

  const inTurn = semaphore(AT_ONCE);
  await Promise.all(objects.map((object) => inTurn(() => readObject(object))));
  progress.end();
  for (const domain of changed.values()) {
    await deps.sumReports(domain);
    await audited(operation, domain.organization, deps, { value: null, subjects: [subjectOf(domain)] });
  }
  return {
    read,
    lines: [
      `${pluralize(objects.length, 'mail')} since ${at.toISOString()}: ${read} read for ${pluralize(changed.size, 'domain')}, ${present} stored already, ${unaddressed} for no domain of the table ${table.name}`,
      ...tally.lines(),
    ],
  };
}

/** A mail as far as its object tells. */
type Arrived = Pick<ReportMail, 'messageId' | 'rawKey' | 'receivedAt' | 'alsoFor'>;

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
