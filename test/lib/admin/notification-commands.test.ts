import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AdminDependencies } from '../../../lib/admin/command.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import { channelStore } from '../../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../../shared/store/alerts/deliveries.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { rateStore } from '../../../shared/store/rates/rates.ts';
import { adminCommand } from '../../kit/admin.ts';
import { auditOn } from '../../kit/audit.ts';
import { testCipher } from '../../kit/cipher.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');

let org: string;

const table = await useTable();
const deps = {
  organizations: organizationStore(table),
  notifications: channelStore(table, testCipher),
  deliveries: deliveryStore(table),
  rates: rateStore(table),
  ...auditOn(table),
  ownDomains: () => ['reports.acme.org', 'tester.acme.org'],
  mailTransport: () => 'Mail is sent from alerts@acme.org through Amazon SES.',
  clock: { now: () => now },
} as unknown as AdminDependencies;
beforeEach(async () => {
  ({ id: org } = await organizationStore(table).create('Org', now, randomUUID()));
});

const admin = async (command: string) =>
  (await adminCommand(command.replace('ORG', org).split(' '))(deps)).join('\n');
const settings = () => channelStore(table, testCipher).get(org);
const target = async () => {
  const { webhook } = await settings();
  return webhook === null ? undefined : channelStore(table, testCipher).targetOf(org, webhook);
};

describe('npm run admin -- notify', () => {
  test('sets an address, with the digest at a minute within its hour', async () => {
    expect(await admin('notify mail ORG Ops@Example.org')).toMatch(
      /^mail {5}Ops@example\.org, alerts from severity warning, weekly digest on monday at 06:\d\d UTC\n/,
    );
    expect(await admin('notify digest ORG 23')).toContain('its own minute within the hour');
    expect(Math.floor(((await settings()).mail?.digestMinute ?? 0) / 60)).toBe(23);
    await admin('notify mail ORG other@example.org');
    expect((await settings()).mail).toMatchObject({ address: 'other@example.org', threshold: 'warning' });
    expect(Math.floor(((await settings()).mail?.digestMinute ?? 0) / 60)).toBe(23);
    const off = await admin('notify digest ORG off');
    expect([off.includes('no digest'), off.includes('its own minute')]).toEqual([true, false]);
    expect(await admin('notify digest ORG default')).toContain('weekly digest on monday at 06:');
  });

  test.each([
    ['23', /, daily digest at 23:\d\d UTC\n/],
    ['daily', /, daily digest at 06:\d\d UTC\n/],
    ['daily 7 Europe/Berlin', /, daily digest at 07:\d\d Europe\/Berlin\n/],
    ['weekly', /, weekly digest on monday at 06:\d\d UTC\n/],
    ['weekly Friday 16 America/New_York', /, weekly digest on friday at 16:\d\d America\/New_York\n/],
    ['off', /, no digest\n/],
  ])('sets the digest to %s', async (digest, expected) => {
    await admin('notify mail ORG ops@example.org');
    expect(await admin(`notify digest ORG ${digest}`)).toMatch(expected);
  });

  test('sets a webhook, and shows its secret once', async () => {
    const said = await admin('notify webhook ORG https://hook.example/in#x');
    const secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(said)?.[0];
    expect((await settings()).webhook).toMatchObject({ threshold: 'info', format: 'json', events: [] });
    expect(await target()).toMatchObject({ url: 'https://hook.example/in', secret });
    expect(await admin('notify show ORG')).toBe(
      'mail     off\nwebhook  https://hook.example, alerts from severity info',
    );
    const again = await admin('notify webhook ORG https://hook.example/in');
    expect(again).not.toContain(secret);
  });

  test('sets thresholds for one or both channels, and disables them the same way', async () => {
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

  test('sets the format and the events of a webhook, which stay when its URL changes', async () => {
    await admin('notify webhook ORG https://hook.example/in');
    const before = await target();
    await admin('notify format ORG slack');
    expect(await admin('notify events ORG report.received domain.verified')).toBe(
      'mail     off\nwebhook  https://hook.example, alerts from severity info, in the format slack, ' +
        'with the events domain.verified, report.received',
    );
    const events = ['domain.verified', 'report.received'];
    expect((await settings()).webhook).toMatchObject({ format: 'slack', events });
    expect(await target()).toMatchObject({ url: before?.url, secret: before?.secret });
    await admin('notify webhook ORG https://hook.example/other');
    expect((await settings()).webhook).toMatchObject({ format: 'slack', events });
    await admin('notify events ORG none');
    await admin('notify format ORG json');
    expect((await settings()).webhook).toMatchObject({ format: 'json', events: [] });
  });

  test.each([
    ['digest ORG monthly', 'the digest must be "daily", "weekly", "off", "default"'],
    ['digest ORG weekly 7', 'the day must be one of monday, tuesday'],
    ['digest ORG weekly monday 7 Europe/Atlantis', 'unknown time zone Europe/Atlantis'],
    ...['24', '6.5', 'noon', '', 'daily 24'].map((hour) => [`digest ORG ${hour}`, '0 to 23'] as const),
    ['events ORG all', 'webhook.events.0: must be one of domain.verified'],
    ['events ORG none domain.verified', 'webhook.events.0: must be one of domain.verified'],
  ])('refuses notify %s', async (command, reason) => {
    await admin('notify mail ORG ops@example.org');
    await admin('notify webhook ORG https://hook.example/in');
    await expect(admin(`notify ${command}`)).rejects.toThrow(reason);
  });

  test('shows the result of the last delivery, until the channel is set again', async () => {
    await admin('notify webhook ORG https://hook.example/in');
    const last = { at: now.toISOString(), status: 'given-up', reason: 'the webhook returned 500' } as const;
    await channelStore(table, testCipher).noteDelivery(org, 'webhook', last);
    expect(await admin('notify show ORG')).toBe(
      'mail     off\nwebhook  https://hook.example, alerts from severity info\n' +
        '         last delivery: given up (the webhook returned 500) at 2026-03-01T10:00:00.000Z',
    );
    expect(await admin('notify webhook ORG https://hook.example/other')).not.toContain('last delivery');
  });

  test('shows open deliveries per channel, but no finished, given-up or foreign ones', async () => {
    const deliveries = deliveryStore(table);
    const at = (minute: number) => new Date(now.getTime() + minute * 60_000);
    const { id: other } = await organizationStore(table).create('Other', now, randomUUID());
    const make = (organization: string, channel: 'mail' | 'webhook', minute: number) => {
      const id = `${organization}-${channel}-${minute}`;
      const createdAt = at(minute).toISOString();
      return deliveries.createTest({ id, organization, channel, createdAt }).then(() => id);
    };
    const take = async (id: string, minute: number) => {
      const claimed = await deliveries.claim(id, { now: at(minute), leaseSeconds: 45, sentAt: at(minute) });
      if (claimed.status !== 'claimed') throw new Error(claimed.status);
      return claimed.lease;
    };
    await make(other, 'webhook', 20);
    await deliveries.finish(await take(await make(org, 'webhook', 1), 1), { outcome: 'delivered' }, at(1));
    await deliveries.giveUp(
      await take(await make(org, 'webhook', 2), 2),
      { reason: 'the webhook answered 500' },
      at(2),
    );
    const oldest = await make(org, 'webhook', 3);
    // A worker crashed during this delivery.
    await take(oldest, 3);
    const reason = 'the webhook answered 503';
    await deliveries.fail(await take(oldest, 5), { reason, nextAt: at(6) });
    await make(org, 'webhook', 4);
    await make(org, 'mail', 7);
    expect(await admin('notify show ORG')).toBe(
      [
        'mail     off',
        '         not delivered yet: 1, the oldest since 2026-03-01T10:07:00.000Z',
        '         the oldest: 0 attempts',
        'webhook  off',
        '         not delivered yet: 2, the oldest since 2026-03-01T10:03:00.000Z',
        '         the oldest: 2 attempts, 1 of them failed (the webhook answered 503), the next at 2026-03-01T10:06:00.000Z at the earliest',
      ].join('\n'),
    );
  });

  test('requests a test notification from the service', async () => {
    await admin('notify mail ORG ops@example.org');
    expect(await admin('notify test ORG')).toMatch(/^Mail is sent from .* SES\.\n.* by mail within/);
    expect(await deliveryStore(table).open(org)).toMatchObject([{ channel: 'mail' }]);
  });

  test.each([
    ['notify mail ORG someone@reports.acme.org', 'this service itself receives the mail'],
    ['notify mail ORG someone@deep.tester.acme.org', 'this service itself receives the mail'],
    ['notify mail ORG someone@TESTER.acme.org', 'this service itself receives the mail'],
    ['notify mail ORG someone', 'not a valid email address'],
    ['notify mail ORG a@example.org,b@example.org', 'not a valid email address'],
    ['notify mail ORG a@example.org\r\nBcc:b@example.org', 'not a valid email address'],
    ['notify show nowhere', 'organization not found'],
    ['notify webhook ORG http://hook.example/', 'not an https URL'],
    ['notify webhook ORG https://me:secret@hook.example/', 'contains credentials'],
    ['notify off ORG fax', 'the channel must be mail or webhook'],
    ['notify threshold ORG warning', 'are off: set a channel'],
    ['notify digest ORG 24', 'are off: set a channel'],
    ['notify test ORG', 'are off: set a channel'],
    ['notify format ORG slack', 'has no webhook'],
    ['notify events ORG none', 'has no webhook'],
    ...[
      'https://127.0.0.1/hook',
      'https://0x7f.1/hook',
      'https://[::1]/hook',
      'https://[::ffff:10.0.0.1]/hook',
      'https://169.254.169.254/',
      'https://LOCALHOST:8443/hook',
      'https://api.localhost./hook',
    ].map((url) => [`notify webhook ORG ${url}`, 'which the service never connects to'] as const),
  ])('rejects %s', async (command, reason) => {
    const refused = admin(command);
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(reason);
  });

  test('rejects a digest without an address', async () => {
    await admin('notify webhook ORG https://hook.example/');
    await expect(admin('notify digest ORG 6')).rejects.toThrow('"notify mail" first');
  });
});
