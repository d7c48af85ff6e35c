import { beforeEach, describe, expect, test } from '@jest/globals';
import { ownProfiles } from '../../../shared/compliance/own-profile.ts';
import { performCheckRun } from '../../../shared/monitoring/run-checks.ts';
import { complianceSettingsStore } from '../../../shared/store/compliance-settings.ts';
import { directoryStore } from '../../../shared/store/domains/directory.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import type { Table } from '../../../shared/store/table.ts';
import { announceItems, itemEvents, openItems } from '../../kit/attention.ts';
import { checkRunAt, checkRunStores } from '../../kit/check-runs.ts';
import { dyingAt, unlessItDies } from '../../kit/dying-table.ts';
import { verifiedDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

const later = (hours: number) => new Date(Date.parse('2026-01-05T10:00:00Z') + hours * 3_600_000);

const reject: ZoneLiteral = {
  'example.org': { MX: [[0, '.']], TXT: ['v=spf1 -all'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject; rua=mailto:dmarc@example.org'] },
};
const none: ZoneLiteral = {
  ...reject,
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@example.org'] },
};
const down: ZoneLiteral = { ...reject, '_dmarc.example.org': 'SERVFAIL' };

let domain: Domain;

const table = await useTable();
beforeEach(async () => {
  domain = await verifiedDomain(table, later(0));
  await announceItems(table, domain.organization);
});

async function follow(...follows: string[]): Promise<void> {
  const store = complianceSettingsStore(table);
  const before = await store.get(domain.organization);
  expect(await store.save(domain.organization, { follows, own: before.own }, before)).toBe(true);
}

/** A check run with these records, that many hours after the first one. */
async function check(hours: number, zones: ZoneLiteral, on: Table = table): Promise<void> {
  const deps = { ...checkRunStores(on), isReady: async () => true };
  await performCheckRun(domain, deps, checkRunAt(later(hours), zones));
}

const open = async () =>
  (await openItems(table, domain.organization)).filter(([kind]) => kind === 'requirement-lapsed');
const events = async () =>
  (await itemEvents(table, { domain: domain.id })).filter((event) => event.endsWith('requirement-lapsed'));

describe('requirement-lapsed', () => {
  test('does not open for an organization that follows no profile', async () => {
    for (const [hours, zones] of [
      [0, reject],
      [24, none],
      [48, none],
    ] as const)
      await check(hours, zones);
    expect([await open(), await events()]).toEqual([[], []]);
  });

  test('opens once two check runs agree, stays while lookups fail, and closes when it is fulfilled again', async () => {
    await follow('bod-18-01');
    await check(0, reject);
    await check(24, none);
    expect(await open()).toEqual([]);
    await check(25, none);
    const item = ['requirement-lapsed', 'warning', 'bod-18-01/reject'];
    expect([await open(), await events()]).toEqual([[item], ['attention.opened requirement-lapsed']]);
    await check(48, none);
    await check(500, down);
    expect(await open()).toEqual([item]);
    await check(524, reject);
    expect([await open(), await events()]).toEqual([
      [],
      ['attention.closed requirement-lapsed', 'attention.opened requirement-lapsed'],
    ]);
  });

  test('does not open for what was violated when the organization began to follow, and closes when it ends that', async () => {
    await follow('bod-18-01');
    await check(0, none);
    await check(24, none);
    await check(48, none);
    expect(await open()).toEqual([]);
    await check(72, reject);
    await check(96, none);
    await check(97, none);
    expect(await open()).toEqual([['requirement-lapsed', 'warning', 'bod-18-01/reject']]);
    await follow('ncsc-uk');
    await check(120, none);
    expect(await open()).toEqual([]);
  });

  test.each(Array.from({ length: 4 }, (_, at) => at + 1))(
    'opens once if a worker dies at write %i of a check run',
    async (write) => {
      await follow('bod-18-01');
      await check(0, reject);
      await check(24, none);
      for (const when of ['before', 'after'] as const)
        await unlessItDies(check(25, none, dyingAt(table, write, when)));
      await check(26, none);
      expect([await open(), await events()]).toEqual([
        [['requirement-lapsed', 'warning', 'bod-18-01/reject']],
        ['attention.opened requirement-lapsed'],
      ]);
    },
  );
});

test('the directory has the statuses of a check run, also for own profiles', async () => {
  const store = complianceSettingsStore(table);
  const own = ownProfiles.parse([
    {
      ...{ id: 'own-one', name: 'One', version: '1' },
      requirements: [{ id: 'r', text: 'R', level: 'must', rules: ['dmarc-below-reject'] }],
    },
  ]);
  await store.save(domain.organization, { follows: [], own }, { revision: 0 });
  await check(0, none);
  const directory = directoryStore(table);
  const found = async (profile: string, status: 'violated' | 'fulfilled' | 'unknown') => {
    const filter = { sort: 'createdAt', compliance: { profile, status } } as const;
    return (await directory.search(domain.organization, filter, { page: 1, limit: 10 })).domains.length;
  };
  const of = async (profile: string) => [await found(profile, 'violated'), await found(profile, 'fulfilled')];
  // The directory knows the usage type that is stored.
  expect(await of('bod-18-01')).toEqual([1, 0]);
  expect(await of('own-one')).toEqual([1, 0]);
  expect(await found('own-two', 'unknown')).toBe(1);
  await check(24, reject);
  expect(await of('own-one')).toEqual([0, 1]);
});
