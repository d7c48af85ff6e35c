/** The channels of an organization, with the URL and the secret of its webhook, which are stored apart and encrypted. */

import * as z from 'zod/mini';
import {
  channels,
  type NewMailSettings,
  type NewWebhook,
  type Webhook,
  type WebhookTarget,
  webhookSettings,
  webhookTarget,
} from '../../alerts/notification.ts';
import { systemClock } from '../../network/clock.ts';
import type { Clock } from '../../network/ports.ts';
import { channelClosings } from '../attention-changes.ts';
import { unchangedSince, updateAt } from '../changes.ts';
import { untilUncontended } from '../contention.ts';
import type { Condition } from '../items.ts';
import { notificationSettingsKey } from '../keys.ts';
import { type Cipher, secretStore } from '../secrets.ts';
import type { Table, Write } from '../table.ts';
import { openPlan } from './digest-plans.ts';
import {
  lastOf,
  notificationSettingsStore,
  readSettings,
  type StoredWebhook,
} from './notification-settings.ts';

/** New settings of channels; null turns one off. */
interface ChannelChanges {
  readonly mail?: NewMailSettings | null;
  readonly webhook?: NewWebhook | null;
}

/** The target of a webhook, and the id of the stored secret. */
export type OpenedTarget = WebhookTarget & { readonly secretId: string };

export type ChannelStore = ReturnType<typeof channelStore>;

export function channelStore(table: Table, cipher: Cipher, clock: Clock = systemClock) {
  const secrets = secretStore(table, cipher);
  const contextOf = (organization: string) => ({ organization, purpose: 'webhook' }) as const;
  return {
    ...notificationSettingsStore(table),

    /** Null turns mail off. */
    async setMail(organization: string, mail: NewMailSettings | null): Promise<void> {
      await change(organization, { mail });
    },

    /** Null turns the webhook off. */
    async setWebhook(organization: string, webhook: NewWebhook | null): Promise<void> {
      await change(organization, { webhook });
    },

    /**
     * Sets channels together, unless a channel was changed since the settings had this `revision`. Returns whether it was
     * not.
     */
    change: (organization: string, changes: ChannelChanges, revision: number): Promise<boolean> =>
      change(organization, changes, unchangedSince(revision)),

    /** The URL and secret of a webhook; undefined if it was changed since these settings were read. */
    async targetOf(organization: string, { secretId }: StoredWebhook): Promise<OpenedTarget | undefined> {
      const target = await secrets.open(contextOf(organization), secretId, webhookTarget);
      return target && { ...target, secretId };
    },

    /** A webhook with its URL and secret; undefined if it was changed since these settings were read. */
    async whole(organization: string, stored: StoredWebhook): Promise<Webhook | undefined> {
      const target = await this.targetOf(organization, stored);
      const { threshold, format, events } = stored;
      return target && { url: target.url, secret: target.secret, threshold, format, events };
    },

    /** Disables a webhook that answered 410, unless its settings changed meanwhile. */
    async disableWebhook(organization: string, { secretId }: OpenedTarget): Promise<void> {
      await table.tryTransact([
        {
          Update: updateAt(
            notificationSettingsKey(organization),
            { webhook: undefined },
            {
              ConditionExpression: 'webhook.secretId = :id',
              ExpressionAttributeValues: { ':id': secretId },
            },
            { revision: 1 },
          ),
        },
        secrets.removal(contextOf(organization)),
      ]);
    },
  };

  /** What is recorded about the deliveries of a channel belonged to its earlier settings. */
  async function change(
    organization: string,
    { mail, webhook }: ChannelChanges,
    condition: Condition = {},
  ): Promise<boolean> {
    const context = contextOf(organization);
    const sealed = webhook ? await seal(organization, webhook) : undefined;
    const plan = mail ? openPlan(organization, mail) : undefined;
    const changed = channels.filter((channel) => ({ mail, webhook })[channel] !== undefined);
    const set = {
      ...Object.fromEntries(changed.map((channel) => [lastOf[channel], undefined])),
      ...(mail !== undefined && { mail: mail ?? undefined, gsi1pk: plan?.gsi1pk, gsi1sk: plan?.gsi1sk }),
      ...(webhook !== undefined && { webhook: sealed?.settings }),
    };
    const settings = updateAt(notificationSettingsKey(organization), set, condition, { revision: 1 });
    const secret: readonly Write[] = webhook === undefined ? [] : [sealed?.write ?? secrets.removal(context)];
    return untilUncontended(async () => {
      const before = await readSettings(table, organization, false);
      const after = {
        mail: null,
        webhook:
          webhook === undefined ? before.webhook : sealed ? z.parse(webhookSettings, sealed.settings) : null,
      };
      const closings = await channelClosings(table, organization, changed, {
        settings: after,
        now: clock.now(),
      });
      const failed = await table.tryTransact([{ Update: settings }, ...secret, ...closings]);
      if (failed.size === 0) return true;
      // A notification that arrived meanwhile closed an item.
      return Math.min(...failed) > secret.length ? undefined : false;
    });
  }

  /** What to store of a webhook: its settings, and the write of its URL and secret. */
  async function seal(organization: string, { url, secret, ...options }: NewWebhook) {
    const { id, write } = await secrets.seal(contextOf(organization), { url, secret });
    return { settings: { origin: new URL(url).origin, ...options, secretId: id }, write };
  }
}
