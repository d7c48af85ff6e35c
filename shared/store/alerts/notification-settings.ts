/** Where an organization receives its alerts. A separate item, because it holds a secret. */
import * as z from 'zod/mini';
import {
  type Channel,
  channels,
  type MailSettings,
  mailSettings,
  type NewWebhookSettings,
  type WebhookSettings,
  webhookSettings,
} from '../../alerts/notification.ts';
import { orNull } from '../item-schema.ts';
import { type Condition, type Read, unchangedSince } from '../items.ts';
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
  /** How often channels were changed. */
  revision: z._default(z.number(), 0),
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

/** New settings of channels; null turns one off. */
export interface ChannelChanges {
  readonly mail?: MailSettings | null;
  readonly webhook?: NewWebhookSettings | null;
}

export const noSettings: StoredSettings = {
  ...{ mail: null, webhook: null },
  ...{ pause: null, lastDigestAt: null, revision: 0 },
};

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
      await change(organization, { mail });
    },

    /** Null turns the webhook off. */
    async setWebhook(organization: string, webhook: NewWebhookSettings | null): Promise<void> {
      await change(organization, { webhook });
    },

    /**
     * Sets channels together, unless a channel was changed since the settings had this `revision`. Returns whether it was
     * not.
     */
    change: (organization: string, changes: ChannelChanges, revision: number): Promise<boolean> =>
      change(organization, changes, unchangedChannels(revision)),

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
        UpdateExpression: 'REMOVE webhook ADD revision :one',
        ConditionExpression: 'webhook.#url = :url',
        ExpressionAttributeNames: { '#url': 'url' },
        ExpressionAttributeValues: { ':url': url, ':one': 1 },
      });
    },
  };

  /** What is recorded about the last delivery of a channel belonged to its earlier settings. */
  function change(
    organization: string,
    changes: ChannelChanges,
    { ConditionExpression, ExpressionAttributeValues }: Condition = {},
  ): Promise<boolean> {
    const changed = channels.filter((channel) => changes[channel] !== undefined);
    const kept = changed.filter((channel) => changes[channel] !== null);
    const set =
      kept.length === 0 ? '' : `SET ${kept.map((channel) => `${channel} = :${channel}`).join(', ')} `;
    const removed = [
      ...changed.map((channel) => lastOf[channel]),
      ...changed.filter((channel) => changes[channel] === null),
    ];
    return table.update(notificationSettingsKey(organization), {
      UpdateExpression: `${set}REMOVE ${removed.join(', ')} ADD revision :one`,
      ...(ConditionExpression !== undefined && { ConditionExpression }),
      ExpressionAttributeValues: {
        ...ExpressionAttributeValues,
        ...Object.fromEntries(kept.map((channel) => [`:${channel}`, changes[channel]])),
        ':one': 1,
      },
    });
  }
}

/** Settings that an earlier release stored have no revision. */
const unchangedChannels = (revision: number): Condition =>
  revision === 0 ? { ConditionExpression: 'attribute_not_exists(revision)' } : unchangedSince(revision);

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
