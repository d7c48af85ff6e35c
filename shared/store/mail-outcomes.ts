/** The mails that came to a domain's report mailbox: what became of each thing in them, and where the message is kept. */
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { MessageAuthentication } from '../protocol/message/authenticate.ts';
import { type DomainReference, isRegistered } from './domains.ts';
import { type ReportKind, reportKey, reportMailKey, reportMailsOf } from './keys.ts';
import { expiryOf } from './report-days.ts';
import { ConditionsFailed, type Table, transact } from './table.ts';

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
] as const;

export type MailOutcomeKind = (typeof mailOutcomeKinds)[number];

/** What became of one thing that a mail carried. */
export interface MailOutcome {
  readonly kind: MailOutcomeKind;
  /** Where it was found: names from the outside in. */
  readonly source: string;
  /** Why it did not become a report, or with which deviations it did; for people. */
  readonly reason: string | null;
  /** The id of the stored report it is, or is like. */
  readonly reportId: string | null;
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

/** Item layout version; code reads every version up to its own. */
const VERSION = 1;

export function mailOutcomeStore(table: Table, { retentionDays }: { retentionDays: number }) {
  return {
    /** Keeps what became of a mail, in place of what was kept of it before. Returns false when the domain is gone. */
    async keep(domain: DomainReference, { receivedAt, ...mail }: ReportMail): Promise<boolean> {
      const time = receivedAt.toISOString();
      const expiresAt = expiryOf(time.slice(0, 10), retentionDays);
      const item = {
        ...reportMailKey(domain.id, time, mail.messageId),
        version: VERSION,
        ...mail,
        receivedAt: time,
        expiresAt,
      };
      try {
        await transact(table, [isRegistered(table, domain), { Put: { TableName: table.name, Item: item } }]);
        return true;
      } catch (error) {
        if (error instanceof ConditionsFailed) return false;
        throw error;
      }
    },

    /** All mails that are kept of a domain, oldest first. */
    async *all(domainId: string): AsyncGenerator<ReportMail> {
      const { pk, prefix } = reportMailsOf(domainId);
      let start: Record<string, unknown> | undefined;
      do {
        const answer = await table.client.send(
          new QueryCommand({
            TableName: table.name,
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
            ...(start === undefined ? {} : { ExclusiveStartKey: start }),
          }),
        );
        for (const item of answer.Items ?? []) yield decode(item);
        start = answer.LastEvaluatedKey;
      } while (start !== undefined);
    },

    /** The object of the mail that brought a stored report; null where it came without a mail. */
    async broughtBy(
      kind: ReportKind,
      domainId: string,
      { begin, id }: { begin: string; id: string },
    ): Promise<string | null> {
      const { Item } = await table.client.send(
        new GetCommand({
          TableName: table.name,
          Key: reportKey(kind, domainId, new Date(begin).toISOString(), id),
          ProjectionExpression: 'rawKey',
          ConsistentRead: true,
        }),
      );
      return Item?.rawKey ?? null;
    },
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
