/** The attention item about blocklists: which addresses are asked about, and what opens, keeps and closes it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { watchBlocklists } from '../../../shared/enforcement/watch-blocklists.ts';
import { blocklistingStore } from '../../../shared/store/check-runs/blocklistings.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { changesOn, openItems } from '../../kit/attention.ts';
import { decisions } from '../../kit/readiness.ts';
import { newsletter, ownMail, report } from '../../kit/report-history.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { mxHost, perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../kit/zone.ts';

const start = Date.parse('2026-01-10T12:00:00Z');
const LIST = 'bl.test';
const perfect = perfectResults('sends-and-receives');
const results = {
  ...perfect,
  mx: { ...perfect.mx, hosts: [{ ...mxHost('mx.example.org', 10), ip: '198.51.100.25' }] },
};

let domain: Domain;
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
});

/** A list with its test entry, and with these addresses. */
const listWith = (...addresses: readonly string[]): ZoneLiteral => listOf(LIST, ['127.0.0.2'], addresses);

function listOf(list: string, codes: readonly string[], addresses: readonly string[]): ZoneLiteral {
  const at = (address: string) => `${address.split('.').reverse().join('.')}.${list}`;
  const listed: ZoneNode = { A: codes, TXT: ['sent spam'] };
  return Object.fromEntries(['127.0.0.2', ...addresses].map((address) => [at(address), listed]));
}
const refusing: ZoneLiteral = { [`*.${LIST}`]: { A: ['127.255.255.254'] } };
const silent: ZoneLiteral = { [`*.${LIST}`]: 'TIMEOUT' };

/** A check run some hours later. Own mail and that of a newsletter service were sent; the owner approved own mail. */
async function run(
  hours: number,
  list: ZoneLiteral,
  isOn = true,
  name = LIST,
  {
    isQuiet = false,
    decision = 'approved',
  }: { isQuiet?: boolean; decision?: 'approved' | 'unauthorized' } = {},
): Promise<readonly string[]> {
  const now = new Date(start + hours * 3_600_000);
  const dns = zone(list);
  const authenticated = report([ownMail(), newsletter()]);
  const forged = report([ownMail({ sourceIp: '192.0.2.66' })], { authenticated: false });
  const deps = {
    zones: new Map(isOn ? [['combined', name] as const] : []),
    ...{ stored: blocklistingStore(table), attention: changesOn(table) },
    summaries: {
      eachDay: async function* () {
        yield { day: now.toISOString().slice(0, 10), summaries: isQuiet ? [] : [authenticated, forged] };
      },
    },
    decisions: { list: async () => decisions([ownMail(), decision]) },
  };
  await watchBlocklists(domain, deps, { results, dns, now });
  return dns.questions;
}

const names = async () => (await openItems(table, domain.organization)).map((item) => item.join(' '));

test('asks about MX hosts and approved senders, once a day', async () => {
  const questions = await run(0, listWith());
  const about = (address: string) =>
    questions.includes(`${address.split('.').reverse().join('.')}.${LIST} A`);
  expect([about('198.51.100.25'), about('192.0.2.1'), about('198.51.100.10'), about('192.0.2.66')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(await run(21, listWith())).toEqual([]);
  expect((await run(22, listWith())).length).toBeGreaterThan(0);
});

test('asks nobody if it is off', async () => {
  expect(await run(0, listWith(), false)).toEqual([]);
});

test('opens an item with address and list, which a refusal and a silence neither open nor close', async () => {
  for (const [hours, list] of [
    [0, refusing],
    [24, silent],
  ] as const)
    await run(hours, list);
  expect(await names()).toEqual([]);
  const listed = ['blocklisted warning 192.0.2.1 (bl.test)'];
  await run(48, listWith('192.0.2.1'));
  expect(await names()).toEqual(listed);
  for (const [hours, list] of [
    [72, refusing],
    [96, silent],
  ] as const)
    await run(hours, list);
  expect(await names()).toEqual(listed);
  const { listings } = (await blocklistingStore(table).get(domain.id)) ?? { listings: [] };
  expect(listings).toMatchObject([{ since: '2026-01-12T12:00:00.000Z', reason: 'sent spam' }]);
  await run(120, listWith());
  expect(await names()).toEqual([]);
});

test.each([
  ['an address', LIST],
  ['an address that should not send', 'zen.spamhaus.org'],
])('keeps the listing of %s while no mail is sent, for five weeks', async (_, list) => {
  const listed = listOf(list, ['127.0.0.11'], ['192.0.2.1']);
  const still = [`blocklisted warning 192.0.2.1 (${list})`];
  await run(0, listed, true, list);
  for (const days of [8, 35]) {
    await run(24 * days, listed, true, list, { isQuiet: true });
    expect(await names()).toEqual(still);
  }
  await run(24 * 36, listed, true, list, { isQuiet: true });
  expect(await names()).toEqual([]);
  await run(24 * 37, listed, true, list);
  await run(24 * 38, listOf(list, ['127.0.0.11'], []), true, list, { isQuiet: true });
  expect(await names()).toEqual([]);
  await run(24 * 39, listed, true, list);
  await run(24 * 40, listed, true, list, { decision: 'unauthorized' });
  expect(await names()).toEqual([]);
});

describe('a listing by the policy list of Spamhaus', () => {
  const [host, sender] = ['198.51.100.25', '192.0.2.1'];
  test.each<[title: string, zone: string, codes: string[], address: string, expected: string[]]>([
    [
      'does not count for a host that only receives',
      'zen.spamhaus.org',
      ['127.0.0.10', '127.0.0.11'],
      host,
      [],
    ],
    ['counts for an address that sends', 'zen.spamhaus.org', ['127.0.0.11'], sender, [sender]],
    ['counts beside another one', 'zen.spamhaus.org', ['127.0.0.4', '127.0.0.11'], host, [host]],
    ['is none of another list', 'bl.test', ['127.0.0.11'], host, [host]],
    ['is known of a zone with a key', 'secret.zen.dq.spamhaus.net', ['127.0.0.10'], host, []],
  ])('%s', async (_, list, codes, address, expected) => {
    await run(0, listOf(list, codes, [address]), true, list);
    const { listings } = (await blocklistingStore(table).get(domain.id)) ?? { listings: [] };
    expect(listings.map((one) => one.address)).toEqual(expected);
  });
});
