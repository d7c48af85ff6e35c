/** Notification settings that several people change at the same time. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type NotificationSettingsStore,
  notificationSettingsStore,
} from '../../../../shared/store/alerts/notification-settings.ts';
import { notificationSettingsKey } from '../../../../shared/store/keys.ts';
import { type EmptyTable, emptyTable } from '../../../kit/table.ts';

const mail = { address: 'ops@example.org', threshold: 'warning', digestMinute: null } as const;
const webhook = { url: 'https://hooks.example/', secret: 's', threshold: 'info' } as const;
const kept = { ...webhook, format: 'json', events: [] } as const;

let table: EmptyTable;
let store: NotificationSettingsStore;
let organization: string;
beforeAll(async () => {
  table = await emptyTable();
  store = notificationSettingsStore(table);
});
afterAll(() => table.stop());
beforeEach(() => {
  organization = crypto.randomUUID();
});

const revision = async () => (await store.get(organization)).revision;

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
      () => store.disableWebhook(organization, kept),
    ];
    for (const change of changes) {
      const before = await revision();
      await change();
      expect(await store.change(organization, { mail: null, webhook: null }, before)).toBe(false);
    }
    expect(await store.get(organization)).toMatchObject({ mail, webhook: null });
  });

  test('can be made to settings of an earlier release, which have no revision', async () => {
    await table.put({ ...notificationSettingsKey(organization), mail });
    expect(await store.change(organization, { webhook }, await revision())).toBe(true);
    expect(await store.get(organization)).toMatchObject({ mail, webhook: kept, revision: 1 });
  });

  test('clears what is recorded about the last delivery of the channel', async () => {
    await store.change(organization, { mail, webhook }, 0);
    const last = { at: '2026-01-05T08:00:00.000Z', status: 'delivered', reason: null };
    for (const channel of ['mail', 'webhook'] as const) await store.noteDelivery(organization, channel, last);
    await store.change(organization, { mail: { ...mail, threshold: 'info' } }, await revision());
    expect(await store.lastDeliveries(organization)).toEqual({ mail: null, webhook: last });
  });
});
