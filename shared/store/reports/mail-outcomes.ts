/** The mails that came to a domain's report mailbox: what became of each thing in them, and where the message is kept. */
import type { MessageAuthentication } from '../../protocol/message/authenticate.ts';
import type { DomainReference } from '../domains/domains.ts';
import { isRegistered } from '../domains/writes.ts';
import { reportMailKey, reportMailsOf } from '../keys.ts';
import { eachFound } from '../query.ts';
import { ConditionsFailed, type Table, transact } from '../table.ts';
import { expiryOf } from './days.ts';
import { type ReportReference, withdrawAside } from './withdrawal.ts';

export const mailOutcomeKinds = [
  'accepted',
  'accepted-with-warnings',
  'duplicate',
  'conflict',
  'wrong-domain',
  'not-a-report',
  'unreadable',
  'too-large',
  /** A report about a single message, which holds personal data: kept as it came, and shown nowhere. */
  'failure-report',
  /** A report in a mail whose sender is not proven, where those are not to count. */
  'set-aside',
  /** Older than what is kept. */
  'expired',
  /** Kept, and not read: too many came. */
  'over-quota',
] as const;

export type MailOutcomeKind = (typeof mailOutcomeKinds)[number];

/** What became of one thing that a mail carried. */
export interface MailOutcome {
  readonly kind: MailOutcomeKind;
  /** Where it was found: names from the outside in. */
  readonly source: string;
  /** Why it did not become a report, or with which deviations it did; for people. */
  readonly reason: string | null;
  /** The report it is; whether it is stored goes by the kind. Mails of before this was kept do not say. */
  readonly report?: ReportReference | null;
}

export interface ReportMail {
  readonly messageId: string;
  readonly receivedAt: Date;
  /** The object that holds the message. */
  readonly rawKey: string;
  /** Local parts of further mailboxes that the same message came to, whose domains need the object as well. */
  readonly alsoFor: readonly string[];
  /** Null where there was nothing to prove, for the message is too large to be read. */
  readonly authentication: MessageAuthentication | null;
  readonly outcomes: readonly MailOutcome[];
}

export type MailOutcomeStore = ReturnType<typeof mailOutcomeStore>;

export function mailOutcomeStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /** Keeps what became of a mail, in place of what was kept of it before or not. Returns false when the domain is gone. */
    async keep(
      domain: DomainReference,
      { receivedAt, ...mail }: ReportMail,
      when: 'always' | 'unless-kept' = 'always',
    ): Promise<boolean> {
      const time = receivedAt.toISOString();
      const expiresAt = expiryOf(time.slice(0, 10), retentionDays);
      const item = {
        ...reportMailKey(domain.id, time, mail.messageId),
        ...mail,
        receivedAt: time,
        expiresAt,
      };
      try {
        const condition = when === 'always' ? {} : { ConditionExpression: 'attribute_not_exists(pk)' };
        const Put = { TableName: table.name, Item: item, ...condition };
        await transact(table, [isRegistered(table, domain), { Put }]);
        return true;
      } catch (error) {
        if (error instanceof ConditionsFailed) return !error.failed.has(0);
        throw error;
      }
    },

    /** All mails that are kept of a domain, oldest first. */
    async *all(domainId: string): AsyncGenerator<ReportMail> {
      const { pk, prefix } = reportMailsOf(domainId);
      const query = {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      };
      for await (const item of eachFound(table, query)) yield decode(item);
    },

    /** Removes a report that is kept aside and that the message at `rawKey` does not bring any more. */
    withdrawAside: (domain: DomainReference, reference: ReportReference, rawKey: string): Promise<void> =>
      withdrawAside(table, { domain, reference, rawKey }),
  };
}

function decode(item: Record<string, unknown>): ReportMail {
  const { messageId, rawKey, alsoFor, authentication, outcomes } = item as unknown as ReportMail;
  return {
    messageId,
    rawKey,
    alsoFor,
    authentication,
    outcomes,
    receivedAt: new Date(String(item.receivedAt)),
  };
}
