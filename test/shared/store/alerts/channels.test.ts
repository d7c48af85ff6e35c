/** Channels that several people change at the same time, and the credentials of webhooks, which are stored apart. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { type ChannelStore, channelStore } from '../../../../shared/store/alerts/channels.ts';
import { notificationSettingsKey, secretKey } from '../../../../shared/store/keys.ts';
import { testCipher } from '../../../kit/cipher.ts';
import { Crash, dyingAt } from '../../../kit/dying-table.ts';
import { useTable } from '../../../kit/use-table.ts';

const mail = { address: 'ops@example.org', threshold: 'warning', digestMinute: null } as const;
const webhook = { url: 'https://hooks.example/in/t0ken', secret: 'whsec_s', threshold: 'info' } as const;
const kept = { origin: 'https://hooks.example', threshold: 'info', format: 'json', events: [] } as const;
const target = { url: webhook.url, secret: webhook.secret };
const anyItem = z.looseObject({});

let organization: string;
const table = await useTable();
const store = channelStore(table, testCipher);
beforeEach(() => {
  organization = crypto.randomUUID();
});

const revision = async () => (await store.get(organization)).revision;
const settingsItem = () => table.get(notificationSettingsKey(organization), anyItem);
const secretItem = () => table.get(secretKey({ organization, purpose: 'webhook' }), anyItem);

/** The URL and secret of the webhook that is set. */
async function targetNow(from: ChannelStore = store) {
  const { webhook: stored } = await from.get(organization);
  return stored === null ? undefined : from.targetOf(organization, stored);
}

describe('a change of notification settings', () => {
  test('sets channels together, turns them off, and keeps those that it does not name', async () => {
    expect(await store.change(organization, { mail, webhook }, 0)).toBe(true);
    expect(await store.get(organization)).toMatchObject({ mail, webhook: kept });
    expect(await store.change(organization, { mail: null }, await revision())).toBe(true);
    expect(await store.get(organization)).toMatchObject({ mail: null, webhook: kept });
    expect(await store.change(organization, { mail, webhook: null }, await revision())).toBe(true);
    expect(await store.get(organization)).toMatchObject({ mail, webhook: null });
  });

  test('is not made if a channel was changed meanwhile, also by an operator or by a webhook that is gone', async () => {
    const changes = [
      () => store.change(organization, { mail }, 0),
      () => store.setMail(organization, mail),
      () => store.setWebhook(organization, webhook),
      async () => {
        const opened = await targetNow();
        if (opened !== undefined) await store.disableWebhook(organization, opened);
      },
    ];
    for (const change of changes) {
      const before = await revision();
      await change();
      expect(await store.change(organization, { mail: null, webhook: null }, before)).toBe(false);
    }
    expect(await store.get(organization)).toMatchObject({ mail, webhook: null });
  });

  test('clears what is recorded about the last delivery of the channel', async () => {
    await store.change(organization, { mail, webhook }, 0);
    const last = { at: '2026-01-05T08:00:00.000Z', status: 'delivered', reason: null } as const;
    for (const channel of ['mail', 'webhook'] as const) await store.noteDelivery(organization, channel, last);
    await store.change(organization, { mail: { ...mail, threshold: 'info' } }, await revision());
    expect(await store.lastDeliveries(organization)).toEqual({ mail: null, webhook: last });
  });
});

describe('the URL and secret of a webhook', () => {
  /** The text of both items, with bytes as characters. */
  const stored = async () =>
    JSON.stringify([await settingsItem(), await secretItem()], (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );

  test('are in no item as text, and are read again as they were', async () => {
    await store.setWebhook(organization, webhook);
    expect(await stored()).toContain(kept.origin);
    expect(await stored()).not.toMatch(/t0ken|whsec/);
    expect(await targetNow()).toMatchObject(target);
  });

  test('of settings that were replaced meanwhile are not found', async () => {
    await store.setWebhook(organization, webhook);
    const { webhook: before } = await store.get(organization);
    await store.setWebhook(organization, { ...webhook, url: 'https://other.example/' });
    if (before === null) throw new Error('no webhook');
    expect(await store.targetOf(organization, before)).toBeUndefined();
    expect(await targetNow()).toMatchObject({ url: 'https://other.example/' });
  });

  test('are removed with the webhook, by a change and by a response that it is gone', async () => {
    await store.setWebhook(organization, webhook);
    await store.setWebhook(organization, null);
    expect(await secretItem()).toBeUndefined();
    await store.setWebhook(organization, webhook);
    const opened = await targetNow();
    if (opened === undefined) throw new Error('no webhook');
    await store.disableWebhook(organization, opened);
    expect([await secretItem(), (await store.get(organization)).webhook]).toEqual([undefined, null]);
  });

  test('stay if a response that it is gone comes from the webhook that they replaced', async () => {
    await store.setWebhook(organization, webhook);
    const former = await targetNow();
    await store.setWebhook(organization, { ...webhook, url: 'https://other.example/' });
    if (former === undefined) throw new Error('no webhook');
    await store.disableWebhook(organization, former);
    expect(await targetNow()).toMatchObject({ url: 'https://other.example/' });
  });

  test('of another organization cannot be put in their place', async () => {
    await store.setWebhook(organization, webhook);
    const item = await secretItem();
    const { webhook: settings } = await store.get(organization);
    const other = crypto.randomUUID();
    await table.put({ ...item, ...secretKey({ organization: other, purpose: 'webhook' }) });
    if (settings === null) throw new Error('no webhook');
    await expect(store.targetOf(other, settings)).rejects.toThrow('encrypted with another key');
  });

  test.each(['before', 'after'] as const)(
    'are stored together with the settings or not at all, if the writer dies %s a write',
    async (when) => {
      await store.setWebhook(organization, webhook);
      const dying = channelStore(dyingAt(table, 1, when), testCipher);
      const other = { ...webhook, url: 'https://other.example/' };
      await expect(dying.setWebhook(organization, other)).rejects.toThrow(Crash);
      expect(await targetNow()).toMatchObject({ url: when === 'before' ? webhook.url : other.url });
    },
  );
});
