/** Whom an organization wants to be told of its alerts: an item of its own, for it holds a secret. */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type {
  Channel,
  MailSettings,
  NotificationSettings,
  WebhookSettings,
} from '../../alerts/notification.ts';
import { notificationKey } from '../keys.ts';
import { conditionFailed, type Table } from '../table.ts';

/** The pause that follows a mail, in which alerts gather for the next one. */
export interface Pause {
  /** ISO time. */
  readonly until: string;
  readonly seconds: number;
}

/** What is noted of mails that were made, so that the next ones are made in time. */
export interface MailMarks {
  readonly pause: Pause | null;
  /** ISO time. */
  readonly lastDigestAt: string | null;
}

/** What became of the last attempt to tell an organization something by a channel as it is set now. */
export interface LastDelivery {
  /** ISO time. */
  readonly at: string;
  readonly status: string;
  /** Null where it was delivered. */
  readonly reason: string | null;
}

export type StoredSettings = NotificationSettings & MailMarks;

export type NotificationSettingsStore = ReturnType<typeof notificationSettingsStore>;

const lastOf: Readonly<Record<Channel, string>> = { mail: 'mailDelivery', webhook: 'webhookDelivery' };

const nobody: StoredSettings = { mail: null, webhook: null, pause: null, lastDigestAt: null };

export function notificationSettingsStore(table: Table) {
  return {
    async get(organization: string): Promise<StoredSettings> {
      return readSettings(table, organization, true);
    },

    /** Null for no mail. */
    async setMail(organization: string, mail: MailSettings | null): Promise<void> {
      await set(organization, 'mail', mail);
    },

    /** Null for no webhook. */
    async setWebhook(organization: string, webhook: WebhookSettings | null): Promise<void> {
      await set(organization, 'webhook', webhook);
    },

    /** Notes what became of an attempt; it is forgotten when the channel is set anew. */
    async noteDelivery(organization: string, channel: Channel, last: LastDelivery): Promise<void> {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: notificationKey(organization),
          UpdateExpression: `SET ${lastOf[channel]} = :last`,
          ExpressionAttributeValues: { ':last': last },
        }),
      );
    },

    async lastDeliveries(organization: string): Promise<Readonly<Record<Channel, LastDelivery | null>>> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: notificationKey(organization), ConsistentRead: true }),
      );
      return { mail: Item?.[lastOf.mail] ?? null, webhook: Item?.[lastOf.webhook] ?? null };
    },

    /** Ends a webhook that says it is gone, unless the organization has another one by now. */
    async endWebhook(organization: string, { url }: WebhookSettings): Promise<void> {
      try {
        await table.client.send(
          new UpdateCommand({
            TableName: table.name,
            Key: notificationKey(organization),
            UpdateExpression: 'REMOVE webhook',
            ConditionExpression: 'webhook.#url = :url',
            ExpressionAttributeNames: { '#url': 'url' },
            ExpressionAttributeValues: { ':url': url },
          }),
        );
      } catch (error) {
        if (!conditionFailed(error)) throw error;
      }
    },
  };

  async function set(organization: string, channel: Channel, value: object | null) {
    const last = lastOf[channel];
    await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: notificationKey(organization),
        UpdateExpression:
          value === null ? `REMOVE ${channel}, ${last}` : `SET ${channel} = :value REMOVE ${last}`,
        ...(value === null ? {} : { ExpressionAttributeValues: { ':value': value } }),
      }),
    );
  }
}

/** The settings as they are or, at half the cost, as they were a moment ago. */
export async function readSettings(
  table: Table,
  organization: string,
  isConsistent: boolean,
): Promise<StoredSettings> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: notificationKey(organization),
      ConsistentRead: isConsistent,
    }),
  );
  if (Item === undefined) return nobody;
  const { mail = null, webhook = null, pause = null, lastDigestAt = null } = Item;
  return { mail, webhook, pause, lastDigestAt };
}
