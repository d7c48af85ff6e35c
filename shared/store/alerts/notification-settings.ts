/** Where an organization receives its alerts. A separate item, because much of it changes often. */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { type EventName, eventNames } from '../../alerts/event.ts';
import {
  type Channel,
  type MemberMail,
  mailSettings,
  memberMail,
  webhookSettings,
} from '../../alerts/notification.ts';
import { texts } from '../../protocol/schema.ts';
import { allOf, changing, having } from '../changes.ts';
import { counter, orNull } from '../item-schema.ts';
import { PRESENT, type Read } from '../items.ts';
import { notificationSettingsKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { deliveryStatuses } from './delivery.ts';

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
  status: z.enum(deliveryStatuses),
  /** Null if it was delivered. */
  reason: z.nullable(z.string()),
});

export type LastDelivery = Readonly<z.infer<typeof lastDelivery>>;

/** Without the events that only another release knows. */
const knownEvents = z.pipe(
  texts,
  z.transform((names): readonly EventName[] => eventNames.filter((name) => names.includes(name))),
);

/** A webhook whose URL and secret are stored apart, under this id. */
const storedWebhook = z.object({
  ...webhookSettings.shape,
  events: z._default(knownEvents, []),
  secretId: z.string(),
});

const settingsItem = z.object({
  mail: orNull(mailSettings),
  webhook: orNull(storedWebhook),
  people: z._default(z.record(z.string(), memberMail), {}),
  pause: orNull(pause),
  /** ISO 8601. */
  lastDigestAt: orNull(z.string()),
  /** How often channels were changed. */
  revision: counter,
  /** What the links that turn the digest off are made with. */
  unsubscribeKey: orNull(z.string()),
});

export type StoredSettings = Readonly<z.infer<typeof settingsItem>>;

/** A webhook without its credentials. */
export type StoredWebhook = Readonly<NonNullable<StoredSettings['webhook']>>;

/** What is recorded about sent mails to decide when the next one may be sent. */
export type MailPacing = Pick<StoredSettings, 'pause'>;

const lastDeliveriesItem = z.object({
  mailDelivery: orNull(lastDelivery),
  webhookDelivery: orNull(lastDelivery),
});

/** 256 bits: the key of HMAC-SHA256 (RFC 2104 section 3). */
const UNSUBSCRIBE_KEY_BYTES = 32;

export type NotificationSettingsStore = ReturnType<typeof notificationSettingsStore>;

/** The attributes of the last delivery attempts. Changing the settings of a channel clears its one. */
export const lastOf = { mail: 'mailDelivery', webhook: 'webhookDelivery' } as const;

export const noSettings: StoredSettings = {
  ...{ mail: null, webhook: null, people: {} },
  ...{ pause: null, lastDigestAt: null, revision: 0 },
  ...{ unsubscribeKey: null },
};

/** The settings without credentials. `channelStore` changes them. */
export function notificationSettingsStore(table: Table) {
  return {
    async get(organization: string): Promise<StoredSettings> {
      return readSettings(table, organization, true);
    },

    /** The same, possibly as they were a moment ago, which costs half. */
    async getSoon(organization: string): Promise<StoredSettings> {
      return readSettings(table, organization, false);
    },

    /** Makes the key of the links that turn the digest off, unless there is one. Returns the one that there is. */
    async makeUnsubscribeKey(organization: string): Promise<string> {
      const made = { unsubscribeKey: randomBytes(UNSUBSCRIBE_KEY_BYTES).toString('base64url') };
      const change = changing(made, allOf(PRESENT, having({ unsubscribeKey: undefined })));
      await table.update(notificationSettingsKey(organization), change);
      const { unsubscribeKey } = await this.get(organization);
      if (unsubscribeKey === null) throw new Error('the notification settings are gone');
      return unsubscribeKey;
    },

    /** Turns the digest to an address off. Does nothing if mails go to another one by now. */
    async turnDigestOff(organization: string, address: string): Promise<void> {
      await table.update(notificationSettingsKey(organization), {
        UpdateExpression: 'SET mail.digestMinute = :never REMOVE gsi1pk, gsi1sk ADD revision :one',
        ConditionExpression: 'mail.address = :address AND mail.digestMinute <> :never',
        ExpressionAttributeValues: { ':never': null, ':address': address, ':one': 1 },
      });
    },

    /** Sets what a member has mailed; null turns it off. */
    async setMemberMail(organization: string, member: string, mail: MemberMail | null): Promise<void> {
      const key = notificationSettingsKey(organization);
      const revised = { ':one': 1 };
      if (mail === null) {
        await table.update(key, {
          UpdateExpression: 'REMOVE people.#member ADD revision :one',
          ConditionExpression: 'attribute_exists(people.#member)',
          ExpressionAttributeNames: { '#member': member },
          ExpressionAttributeValues: revised,
        });
        return;
      }
      await table.update(key, changing({ people: {} }, having({ people: undefined }), { revision: 1 }));
      await table.update(key, {
        UpdateExpression: 'SET people.#member = :mail ADD revision :one',
        ExpressionAttributeNames: { '#member': member },
        ExpressionAttributeValues: { ...revised, ':mail': mail },
      });
    },

    /** Records the outcome of a delivery attempt. */
    async noteDelivery(organization: string, channel: Channel, last: LastDelivery): Promise<void> {
      await table.update(notificationSettingsKey(organization), changing({ [lastOf[channel]]: last }));
    },

    async lastDeliveries(organization: string): Promise<Readonly<Record<Channel, LastDelivery | null>>> {
      const item = await table.get(notificationSettingsKey(organization), lastDeliveriesItem);
      return { mail: item?.[lastOf.mail] ?? null, webhook: item?.[lastOf.webhook] ?? null };
    },
  };
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
