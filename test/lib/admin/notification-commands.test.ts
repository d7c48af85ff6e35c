import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type AdminParts, adminCommand } from '../../../lib/admin/commands.ts';
import { CommandError } from '../../../lib/local/command-line.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');

let table: EmptyTable;
let parts: AdminParts;
let org: string;

beforeAll(async () => {
  table = await emptyTable();
  parts = {
    organizations: organizationStore(table),
    notifications: notificationSettingsStore(table),
    deliveries: deliveryStore(table),
    ownDomains: () => ['reports.acme.org', 'tester.acme.org'],
    clock: { now: () => now },
  } as unknown as AdminParts;
});
afterAll(() => table.stop());
beforeEach(async () => {
  ({ id: org } = await organizationStore(table).create('Org', now, randomUUID()));
});

const admin = async (command: string) =>
  (await adminCommand(command.replace('ORG', org).split(' '))(parts)).join('\n');
const settings = () => notificationSettingsStore(table).get(org);

describe('npm run admin -- notify', () => {
  test('shows that nobody is told', async () => {
    expect(await admin('notify show ORG')).toBe('mail     off\nwebhook  off');
  });

  test('sets an address, with a digest spread over its hour', async () => {
    expect(await admin('notify mail ORG Ops@Example.org')).toMatch(
      /^mail {5}Ops@example\.org, alerts from warning, digest of the others daily at 06:\d\d UTC\n/,
    );
    await admin('notify digest ORG 23');
    expect(Math.floor(((await settings()).mail?.digestMinute ?? 0) / 60)).toBe(23);
    await admin('notify mail ORG other@example.org');
    expect((await settings()).mail).toMatchObject({ address: 'other@example.org', threshold: 'warning' });
    expect(Math.floor(((await settings()).mail?.digestMinute ?? 0) / 60)).toBe(23);
    expect(await admin('notify digest ORG off')).toContain('no digest');
    expect(await admin('notify digest ORG default')).toContain('daily at 06:');
  });

  test('sets a webhook, whose secret it shows this once', async () => {
    const said = await admin('notify webhook ORG https://hook.example/in#x');
    const secret = /whsec_[\w-]{43}/.exec(said)?.[0];
    expect((await settings()).webhook).toEqual({ url: 'https://hook.example/in', secret, threshold: 'info' });
    expect(await admin('notify show ORG')).toBe(
      'mail     off\nwebhook  https://hook.example/in, alerts from info',
    );
    const again = await admin('notify webhook ORG https://hook.example/in');
    expect(again).not.toContain(secret);
  });

  test('sets thresholds of both channels or of one, and ends them likewise', async () => {
    await admin('notify mail ORG ops@example.org');
    await admin('notify webhook ORG https://hook.example/in');
    await admin('notify threshold ORG critical');
    await admin('notify threshold ORG warning webhook');
    expect(await settings()).toMatchObject({
      mail: { threshold: 'critical' },
      webhook: { threshold: 'warning' },
    });
    await admin('notify off ORG mail');
    expect(await settings()).toMatchObject({ mail: null, webhook: { threshold: 'warning' } });
    await admin('notify off ORG');
    expect(await settings()).toMatchObject({ mail: null, webhook: null });
  });

  test('shows what became of the last delivery, until the channel is set anew', async () => {
    await admin('notify webhook ORG https://hook.example/in');
    const last = { at: now.toISOString(), status: 'failed', reason: 'the webhook answered 500' };
    await notificationSettingsStore(table).noteDelivery(org, 'webhook', last);
    expect(await admin('notify show ORG')).toBe(
      'mail     off\nwebhook  https://hook.example/in, alerts from info\n' +
        '         last delivery: failed (the webhook answered 500) at 2026-03-01T10:00:00.000Z',
    );
    expect(await admin('notify webhook ORG https://hook.example/other')).not.toContain('last delivery');
  });

  test('asks the service for a test', async () => {
    await admin('notify mail ORG ops@example.org');
    expect(await admin('notify test ORG')).toContain('by mail within');
    expect(await deliveryStore(table).left(now, 10)).toHaveLength(1);
  });

  test.each([
    ['notify mail ORG someone@reports.acme.org', 'comes to this service itself'],
    ['notify mail ORG someone@deep.tester.acme.org', 'comes to this service itself'],
    ['notify mail ORG someone@TESTER.acme.org', 'comes to this service itself'],
    ['notify mail ORG someone', 'not a plain mail address'],
    ['notify mail ORG a@example.org,b@example.org', 'not a plain mail address'],
    ['notify mail ORG a@example.org\r\nBcc:b@example.org', 'not a plain mail address'],
    ['notify mail ORG', 'an address is missing'],
    ['notify mail', 'an organization is missing'],
    ['notify show nowhere', 'no such organization'],
    ['notify webhook ORG http://hook.example/', 'not an https URL'],
    ['notify webhook ORG hook.example', 'not an https URL'],
    ['notify webhook ORG https://me:secret@hook.example/', 'holds credentials'],
    ['notify off ORG fax', 'not mail or webhook'],
    ['notify threshold ORG warning', 'is told nothing yet'],
    ['notify threshold ORG grave', 'one of info, warning, critical'],
    ['notify digest ORG 24', 'is told nothing yet'],
    ['notify test ORG', 'is told nothing yet'],
    ...[
      'https://127.0.0.1/hook',
      'https://0x7f.1/hook',
      'https://[::1]/hook',
      'https://[::ffff:10.0.0.1]/hook',
      'https://169.254.169.254/',
      'https://LOCALHOST:8443/hook',
      'https://api.localhost./hook',
    ].map((url) => [`notify webhook ORG ${url}`, 'is never dialled'] as const),
    ['notify everybody', 'unknown command: notify everybody; there is notify show, notify mail'],
  ])('refuses %s', async (command, reason) => {
    const refused = admin(command);
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(reason);
  });

  test.each(['24', '6.5', 'noon', ''])('refuses a digest at hour %j', async (hour) => {
    await admin('notify mail ORG ops@example.org');
    await expect(admin(`notify digest ORG ${hour}`)).rejects.toThrow('0 to 23');
  });

  test('refuses a digest without an address', async () => {
    await admin('notify webhook ORG https://hook.example/');
    await expect(admin('notify digest ORG 6')).rejects.toThrow('"notify mail" first');
  });
});
