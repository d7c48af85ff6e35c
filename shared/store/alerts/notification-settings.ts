/** Where an organization receives its alerts. A separate item, because it holds a secret. */
import * as z from 'zod/mini';
import {
  type Channel,
  type MailSettings,
  mailSettings,
  type NewWebhookSettings,
  type WebhookSettings,
  webhookSettings,
} from '../../alerts/notification.ts';
import { orNull } from '../item-schema.ts';
import type { Read } from '../items.ts';
import { notificationSettingsKey } from '../keys.ts';
import type { Table } from '../table.ts';

/** The pause after a mail, during which alerts collect for the next mail. */
const pause = z.object({
  /** ISO 8601. */
  until: z.string(),
  seconds: z.number(),
});

export type Pause = Readonly<z.infer<typeof pause>>;

/** The outcome of the last delivery attempt on a channel with its current settings. */
const lastDelivery = z.object({
  /** ISO 8601. */
  at: z.string(),
  status: z.string(),
  /** Null if it was delivered. */
  reason: z.nullable(z.string()),
});

export type LastDelivery = Readonly<z.infer<typeof lastDelivery>>;

const settingsItem = z.object({
  mail: orNull(mailSettings),
  webhook: orNull(webhookSettings),
  pause: orNull(pause),
  /** ISO 8601. */
  lastDigestAt: orNull(z.string()),
});

export type StoredSettings = Readonly<z.infer<typeof settingsItem>>;

/** What is recorded about sent mails to decide when the next one may be sent. */
export type MailPacing = Pick<StoredSettings, 'pause' | 'lastDigestAt'>;

const lastDeliveriesItem = z.object({
  mailDelivery: orNull(lastDelivery),
  webhookDelivery: orNull(lastDelivery),
});

export type NotificationSettingsStore = ReturnType<typeof notificationSettingsStore>;

const lastOf = { mail: 'mailDelivery', webhook: 'webhookDelivery' } as const;

export const noSettings: StoredSettings = { mail: null, webhook: null, pause: null, lastDigestAt: null };

export function notificationSettingsStore(table: Table) {
  return {
    async get(organization: string): Promise<StoredSettings> {
      return readSettings(table, organization, true);
    },

    /** The same, possibly as they were a moment ago, which costs half. */
    async getSoon(organization: string): Promise<StoredSettings> {
      return readSettings(table, organization, false);
    },

    /** Null turns mail off. */
    async setMail(organization: string, mail: MailSettings | null): Promise<void> {
      await set(organization, 'mail', mail);
    },

    /** Null turns the webhook off. */
    async setWebhook(organization: string, webhook: NewWebhookSettings | null): Promise<void> {
      await set(organization, 'webhook', webhook);
    },

    /** Records the outcome of a delivery attempt. Changing the channel's settings clears it. */
    async noteDelivery(organization: string, channel: Channel, last: LastDelivery): Promise<void> {
      await table.update(notificationSettingsKey(organization), {
        UpdateExpression: `SET ${lastOf[channel]} = :last`,
        ExpressionAttributeValues: { ':last': last },
      });
    },

    async lastDeliveries(organization: string): Promise<Readonly<Record<Channel, LastDelivery | null>>> {
      const item = await table.get(notificationSettingsKey(organization), lastDeliveriesItem);
      return { mail: item?.[lastOf.mail] ?? null, webhook: item?.[lastOf.webhook] ?? null };
    },

    /** Disables a webhook that answered 410, unless its settings changed meanwhile. */
    async disableWebhook(organization: string, { url }: WebhookSettings): Promise<void> {
      await table.update(notificationSettingsKey(organization), {
        UpdateExpression: 'REMOVE webhook',
        ConditionExpression: 'webhook.#url = :url',
        ExpressionAttributeNames: { '#url': 'url' },
        ExpressionAttributeValues: { ':url': url },
      });
    },
  };

  async function set(organization: string, channel: Channel, value: object | null) {
    const last = lastOf[channel];
    await table.update(notificationSettingsKey(organization), {
      UpdateExpression:
        value === null ? `REMOVE ${channel}, ${last}` : `SET ${channel} = :value REMOVE ${last}`,
      ...(value === null ? {} : { ExpressionAttributeValues: { ':value': value } }),
    });
  }
}

/** The read of an organization's settings. Without an item, `noSettings` apply. */
export const readOfSettings = (organization: string): Read<StoredSettings> => ({
  key: notificationSettingsKey(organization),
  schema: settingsItem,
});

/** Reads the settings. An eventually consistent read costs half. */
export async function readSettings(
  table: Table,
  organization: string,
  isConsistent: boolean,
): Promise<StoredSettings> {
  const { key, schema } = readOfSettings(organization);
  return (await table.get(key, schema, { isConsistent })) ?? noSettings;
}
