/** The repeated proof of ownership on a real table: what is stored, once, whatever arrives twice and wherever it dies. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { aboutNothing } from '../../../shared/attention/kinds.ts';
import { proveOwnership } from '../../../shared/monitoring/ownership.ts';
import { verifyOwnership } from '../../../shared/monitoring/verify-ownership.ts';
import { channelStore } from '../../../shared/store/alerts/channels.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { attentionStore } from '../../../shared/store/attention.ts';
import { deletionStore } from '../../../shared/store/domains/deletions.ts';
import type { MissingProof } from '../../../shared/store/domains/domain.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../../shared/store/domains/ownership.ts';
import { domainPartition } from '../../../shared/store/keys.ts';
import type { Table } from '../../../shared/store/table.ts';
import { openItem } from '../../kit/attention.ts';
import { testCipher } from '../../kit/cipher.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

/** What the webhook receives besides alerts. */
const events = ['domain.unproven', 'attention.opened', 'attention.closed'] as const;

const start = new Date('2026-01-05T08:00:00.000Z');
const later = (days: number) => new Date(start.getTime() + days * 86_400_000);

let domain: Domain;

const table = await useTable();

beforeEach(async () => {
  const registered = await registeredDomain(table);
  const notifications = channelStore(table, testCipher);
  await notifications.setMail(registered.organization, {
    ...{ address: 'ops@example.com', threshold: 'critical', digestMinute: null },
  });
  await notifications.setWebhook(registered.organization, {
    ...{ url: 'https://hook.example.com/', secret: 's', threshold: 'info', events },
  });
  const verified = await domainStore(table).markVerified(registered, start);
  if (verified === undefined) throw new Error('gone');
  domain = verified;
});

const expected = { hostname: '_svc.example.org', type: 'TXT', value: 'svc-verify=token' } as const;
const published: ZoneLiteral = { [expected.hostname]: { TXT: ['other', ` ${expected.value} `] } };
const withdrawn: ZoneLiteral = { 'example.org': {} };
const replaced: ZoneLiteral = { [expected.hostname]: { TXT: ['svc-verify=of-somebody-else'] } };
const failing: ZoneLiteral = { [expected.hostname]: 'SERVFAIL' };

const stored = async (): Promise<Domain> => {
  const found = await domainStore(table).get(domain.organization, domain.id);
  if (found === undefined) throw new Error('gone');
  return found;
};

const deps = (on: Table) => ({
  ...{ ownership: ownershipStore(on), notifications: notificationSettingsStore(on) },
  intervalSeconds: 86_400,
});

/** What a scheduled check does on this day. */
async function check(day: number, zones: ZoneLiteral, on: Table = table): Promise<void> {
  const dns = zone(zones);
  await proveOwnership(await stored(), expected, deps(on), { dns, now: later(day) });
}

async function checks(from: number, to: number, zones: ZoneLiteral): Promise<void> {
  for (let day = from; day <= to; day += 1) await check(day, zones);
}

async function verify(day: number, zones: ZoneLiteral) {
  const clock = { now: () => later(day) };
  return verifyOwnership(await stored(), expected, {
    ...{ ...deps(table), domains: domainStore(table), dns: zone(zones), clock },
  });
}

const items = async () =>
  (await attentionStore(table).list(domain.organization, {}, { page: 1, limit: 9 }, start)).items;

const pendingItem = z.object({ sk: z.string(), channel: z.string(), event: z.object({ type: z.string() }) });

/** The channels of the events that wait to be sent. */
const notices = async () => {
  const query = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': domainPartition(domain.id), ':prefix': 'PENDING#' },
  };
  return (await table.query(query, pendingItem))
    .map(({ channel, event }) => [channel, event.type])
    .toSorted();
};

const once = [
  ['mail', 'domain.unproven'],
  ['webhook', 'attention.opened'],
  ['webhook', 'domain.unproven'],
];
const closed = [['webhook', 'attention.closed'], ...once].toSorted();

describe('a scheduled check', () => {
  test('makes no lookup for 30 days, and then renews the proof', async () => {
    const dns = zone(published);
    for (const day of [1, 29, 30])
      await proveOwnership(await stored(), expected, deps(table), { dns, now: later(day) });
    expect(dns.questions).toEqual(['_svc.example.org TXT']);
    expect((await stored()).ownership).toEqual({ provenAt: later(30).toISOString(), missing: null });
    expect((await stored()).updatedAt).toBe(domain.updatedAt);
  });

  test.each([
    ['withdrawn', withdrawn],
    ['replaced', replaced],
  ])('opens one item and sends one notice when the record has been %s for 30 days', async (_, zones) => {
    await checks(30, 59, zones);
    expect([await items(), await notices()]).toEqual([[], []]);
    await checks(60, 90, zones);
    const missing: MissingProof = {
      ...{ since: later(30).toISOString(), countedAt: later(60).toISOString() },
      ...{ seconds: 30 * 86_400, isUnproven: true },
    };
    expect(await stored()).toMatchObject({
      verified: true,
      ownership: { provenAt: start.toISOString(), missing },
    });
    expect(await items()).toEqual([
      {
        ...{ domainId: domain.id, domain: 'example.org', channel: null, mailbox: null, about: aboutNothing },
        ...{ kind: 'ownership-unproven', severity: 'warning' },
        ...{ since: missing.since, putOffUntil: null, note: null, changedAt: null },
      },
    ]);
    expect(await notices()).toEqual(once);
  });

  test('changes nothing when the lookup fails, however long', async () => {
    await checks(30, 100, failing);
    expect(await stored()).toEqual(domain);
    await checks(101, 110, withdrawn);
    const before = await stored();
    await checks(111, 150, failing);
    expect([await stored(), await items()]).toEqual([before, []]);
  });

  test('closes the item when the record is found, and can open it again', async () => {
    await checks(30, 60, withdrawn);
    await check(61, published);
    expect([await items(), (await stored()).ownership]).toEqual([
      [],
      { provenAt: later(61).toISOString(), missing: null },
    ]);
    await checks(91, 121, withdrawn);
    expect(await items()).toMatchObject([{ since: later(91).toISOString() }]);
    expect(await notices()).toEqual([...once, ...closed].toSorted());
  });

  test('opens the item and sends the notices once if several run at the same time', async () => {
    await checks(30, 59, withdrawn);
    const seen = await stored();
    const run = () => proveOwnership(seen, expected, deps(table), { dns: zone(withdrawn), now: later(60) });
    await Promise.all([run(), run(), run()]);
    await run();
    expect([(await items()).length, await notices()]).toEqual([1, once]);
  });

  test.each(['before', 'after'] as const)(
    'that dies %s its write is repeated without effect',
    async (when) => {
      await checks(30, 59, withdrawn);
      const dying = dyingAt(table, 1, when);
      await unlessItDies(check(60, withdrawn, dying));
      expect(dying.died()).toBe(true);
      expect((await items()).length).toBe(when === 'before' ? 0 : 1);
      await check(60, withdrawn);
      expect([(await items()).length, await notices()]).toEqual([1, once]);
      await unlessItDies(check(61, published, dyingAt(table, 1, when)));
      await check(61, published);
      expect([await items(), await notices()]).toEqual([[], closed]);
    },
  );

  test('that saw the record missing does not overwrite a proof that was made meanwhile', async () => {
    await checks(30, 59, withdrawn);
    const seen = await stored();
    await verify(60, published);
    await proveOwnership(seen, expected, deps(table), { dns: zone(withdrawn), now: later(60) });
    expect([await items(), await notices()]).toEqual([[], []]);
    expect((await stored()).ownership).toEqual({ provenAt: later(60).toISOString(), missing: null });
  });
});

describe('a person', () => {
  test('who verifies again closes the item if the record is there', async () => {
    await checks(30, 60, withdrawn);
    expect(await verify(61, withdrawn)).toEqual({
      outcome: 'verified',
      message: expect.stringMatching(/^The domain stays verified\. The TXT record was not found\./),
    });
    expect(await verify(61, failing)).toMatchObject({ message: expect.stringContaining('lookup') });
    expect(await items()).toHaveLength(1);
    expect(await verify(62, published)).toEqual({
      outcome: 'verified',
      message: 'The domain is verified.',
    });
    expect(await items()).toEqual([]);
    expect((await stored()).ownership?.provenAt).toBe(later(62).toISOString());
  });

  test('who deletes the domain closes the item, and later checks store nothing', async () => {
    await checks(30, 59, withdrawn);
    const seen = await stored();
    await domainStore(table).remove(seen, later(60));
    await proveOwnership(seen, expected, deps(table), { dns: zone(withdrawn), now: later(60) });
    await proveOwnership(seen, expected, deps(table), { dns: zone(published), now: later(60) });
    expect([await items(), await notices()]).toEqual([[], []]);

    const other = await registeredDomain(table, 'example.com');
    await attentionAt(other);
    const present = await domainStore(table).get(other.organization, other.id);
    expect(present && (await domainStore(table).remove(present, later(60)))).toBe(true);
    await deletionStore(table).drain(other.id, () => 60_000);
    const { organization } = other;
    const left = await attentionStore(table).list(organization, {}, { page: 1, limit: 9 }, start);
    expect(left.items).toEqual([]);
  });

  async function attentionAt(of: Domain): Promise<void> {
    const missing = { since: start.toISOString(), countedAt: start.toISOString(), seconds: 1 };
    const owned = await domainStore(table).markVerified(of, start);
    if (owned?.ownership === undefined) throw new Error('gone');
    const { ownership } = owned;
    await ownershipStore(table).miss({ ...owned, ownership }, { ...missing, isUnproven: true }, []);
    await openItem(table, of, 'ownership-unproven', missing.since);
    const open = await attentionStore(table).list(of.organization, {}, { page: 1, limit: 9 }, start);
    expect(open.items).toHaveLength(1);
  }
});

test('a domain that is not verified is not looked for', async () => {
  const dns = zone(withdrawn);
  await proveOwnership({ ...domain, verified: false }, expected, deps(table), { dns, now: later(99) });
  expect(dns.questions).toEqual([]);
});
