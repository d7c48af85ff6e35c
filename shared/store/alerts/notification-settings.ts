/** Where an organization receives its alerts. A separate item, because it holds a secret. */
import type {
  Channel,
  MailSettings,
  NotificationSettings,
  WebhookSettings,
} from '../../alerts/notification.ts';
import { notificationSettingsKey } from '../keys.ts';
import type { Table } from '../table.ts';

/** The pause after a mail, during which alerts collect for the next mail. */
export interface Pause {
  /** ISO 8601. */
  readonly until: string;
  readonly seconds: number;
}

/** What is recorded about sent mails to decide when the next one may be sent. */
export interface MailPacing {
  readonly pause: Pause | null;
  /** ISO 8601. */
  readonly lastDigestAt: string | null;
}

/** The outcome of the last delivery attempt on a channel with its current settings. */
export interface LastDelivery {
  /** ISO 8601. */
  readonly at: string;
  readonly status: string;
  /** Null if it was delivered. */
  readonly reason: string | null;
}

export type StoredSettings = NotificationSettings & MailPacing;

export type NotificationSettingsStore = ReturnType<typeof notificationSettingsStore>;

const lastOf: Readonly<Record<Channel, string>> = { mail: 'mailDelivery', webhook: 'webhookDelivery' };

const noSettings: StoredSettings = { mail: null, webhook: null, pause: null, lastDigestAt: null };

export function notificationSettingsStore(table: Table) {
  return {
    async get(organization: string): Promise<StoredSettings> {
      return readSettings(table, organization, true);
    },

    /** Null turns mail off. */
    async setMail(organization: string, mail: MailSettings | null): Promise<void> {
      await set(organization, 'mail', mail);
    },

    /** Null turns the webhook off. */
    async setWebhook(organization: string, webhook: WebhookSettings | null): Promise<void> {
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
      const item = await table.get(notificationSettingsKey(organization));
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

/** Reads the settings. An eventually consistent read costs half. */
export async function readSettings(
  table: Table,
  organization: string,
  isConsistent: boolean,
): Promise<StoredSettings> {
  const item = await table.get(notificationSettingsKey(organization), { isConsistent });
  if (item === undefined) return noSettings;
  const { mail = null, webhook = null, pause = null, lastDigestAt = null } = item;
  return { mail, webhook, pause, lastDigestAt };
}
