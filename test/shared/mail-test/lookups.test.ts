import { describe, expect, test } from '@jest/globals';
import type { BlocklistRole } from '../../../shared/mail-test/blocklist-zones.ts';
import { inspectBlocklists, inspectDomainBlocklists } from '../../../shared/mail-test/blocklists.ts';
import { inspectReverseDns } from '../../../shared/mail-test/reverse-dns.ts';
import { inspectSenderMx } from '../../../shared/mail-test/sender-mx.ts';
import { recorded } from '../../kit/recorded.ts';
import { withExtendedError, type ZoneLiteral, zone } from '../../kit/zone.ts';

const NAME = '7.2.0.192.in-addr.arpa';
const IPV6 = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2';
const named = (...names: string[]) => ({ [NAME]: { PTR: names } });
const at = (...addresses: string[]) => ({ A: addresses });

describe('the reverse name of the sending host', () => {
  const HELO = 'mail.example.org';
  /** Names with one address each. */
  const having = (names: Readonly<Record<string, string>>): ZoneLiteral => ({
    ...named(...Object.keys(names)),
    ...Object.fromEntries(Object.entries(names).map(([name, address]) => [name, at(address)])),
  });
  test.each<[string, ZoneLiteral, string]>([
    [
      'is valid if it resolves back and equals the HELO name',
      having({ [HELO]: '192.0.2.7' }),
      'MAIL.example.org.',
    ],
    [
      'is valid if the HELO name is in the same organization',
      having({ 'out-7.example.org': '192.0.2.7' }),
      HELO,
    ],
    [
      'is, of several, the one that matches best',
      having({ 'a.example.net': '192.0.2.7', [HELO]: '192.0.2.7' }),
      HELO,
    ],
    [
      'is a mismatch if the HELO name belongs to another organization',
      having({ 'host.example.net': '192.0.2.7' }),
      HELO,
    ],
    [
      'is a mismatch if the two names share only a public suffix',
      having({ 'a.co.uk': '192.0.2.7' }),
      'b.co.uk',
    ],
    ['is a mismatch if it does not resolve back', having({ [HELO]: '192.0.2.8' }), HELO],
    ['is a mismatch if the name does not exist', named(HELO), HELO],
    ['is missing', {}, HELO],
    ['is unknown if the PTR lookup fails', { [NAME]: 'SERVFAIL' }, HELO],
    ['is unknown if the forward lookup fails', { ...named(HELO), [HELO]: 'TIMEOUT' }, HELO],
  ])('%s', async (_what, published, helo) => {
    recorded(await inspectReverseDns('192.0.2.7', helo, zone(published)));
  });

  test('is looked up for IPv6 too', async () => {
    const dns = zone({
      [`${IPV6}.ip6.arpa`]: { PTR: ['mail.example.org'] },
      'mail.example.org': { AAAA: ['2001:DB8:0::1'] },
    });
    expect(await inspectReverseDns('2001:db8::1', 'mail.example.org', dns)).toMatchObject({
      status: 'valid',
    });
  });

  test('is unknown without an address', async () => {
    expect(await inspectReverseDns(null, 'mail.example.org', zone({}))).toMatchObject({ status: 'unknown' });
  });
});

describe('a blocklist', () => {
  const zones = new Map<BlocklistRole, string>([['combined', 'list.example']]);
  const QUERY = '7.2.0.192.list.example';
  const QUERY6 = `${IPV6}.list.example`;
  const ALWAYS = '2.0.0.127.list.example';
  const NEVER = '1.0.0.127.list.example';
  const nibbles = (low: string) => `${low}.0.0.0.0.0.f.7.f.f.f.f${'.0'.repeat(20)}.list.example`;
  const listed = at('127.0.0.2');
  const working: ZoneLiteral = { [ALWAYS]: listed, [nibbles('2')]: listed };
  const inspectList = async (published: ZoneLiteral, ip: string | null = '192.0.2.7') =>
    recorded(await inspectBlocklists(ip, zones, zone({ ...working, ...published })));

  test.each<[string, ZoneLiteral]>([
    [
      'lists the address',
      { [QUERY]: { A: ['127.0.0.2', '127.0.0.10'], TXT: ['See https://list.example/'] } },
    ],
    ['does not list it', {}],
    ['does not list it, with a no-data response', { [QUERY]: { TXT: ['x'] } }],
    ['refuses queries from a public resolver', { [QUERY]: at('127.255.255.254') }],
    ['refuses queries above its limit', { [QUERY]: at('127.255.255.255') }],
    ['has become a web site', { [QUERY]: at('203.0.113.80') }],
    ['returns the address that it must never list', { [QUERY]: at('127.0.0.1') }],
    ['lists everything', { '*.list.example': listed, '*.0.0.127.list.example': listed }],
    ['lists the address that must never be listed', { [QUERY]: listed, [NEVER]: listed }],
    ['lists the address, and its negative test entry fails', { [QUERY]: listed, [NEVER]: 'TIMEOUT' }],
    ['lists the address but not its test entry', { [QUERY]: listed, [ALWAYS]: {} }],
    ['has shut down or blocks this resolver, and lists nothing', { [ALWAYS]: {} }],
    ['does not respond for its test entry', { [ALWAYS]: 'TIMEOUT' }],
    ['does not respond', { [QUERY]: 'TIMEOUT' }],
    ['responds with SERVFAIL', { [QUERY]: 'SERVFAIL' }],
    ['responds with REFUSED', { [QUERY]: 'REFUSED' }],
  ])('%s', async (_what, published) => {
    await inspectList(published);
  });

  test.each([
    ['zen.spamhaus.org', 'zen.spamhaus.org'],
    ['secretkey123.zen.dq.spamhaus.net', 'spamhaus.net'],
    ['key.zen.spamhaus.org', 'spamhaus.org'],
    ['lists.example.co.uk', 'example.co.uk'],
  ])('%s is shown as %s, whatever it returns', async (configured, shown) => {
    const configuredZones = new Map<BlocklistRole, string>([['combined', configured]]);
    const listing = { [`7.2.0.192.${configured}`]: listed, [`2.0.0.127.${configured}`]: listed };
    for (const published of [{}, listing])
      for (const ip of ['192.0.2.7', '198.51.100.7', null]) {
        const { results } = await inspectBlocklists(ip, configuredZones, zone(published));
        expect(results.map((result) => result.zone)).toEqual([shown]);
      }
  });

  test('reports its codes and its reason, cut and on one line', async () => {
    const { results } = await inspectList({
      [QUERY]: { A: ['127.0.0.2'], TXT: [`bad\u202e${'x'.repeat(500)}`] },
    });
    expect(results[0]?.codes).toEqual(['127.0.0.2']);
    expect(results[0]?.reason).toMatch(/^bad\\u\{202e\}x+\.\.\.$/);
  });

  test.each<[string, ZoneLiteral]>([
    ['lists the address', { [QUERY6]: at('127.0.0.3') }],
    ['does not list it', {}],
    ['contains only IPv4 addresses', { [nibbles('2')]: {} }],
    ['lists every IPv6 address', { [QUERY6]: at('127.0.0.3'), [nibbles('1')]: at('127.0.0.3') }],
  ])('is queried for IPv6 by nibbles: it %s', async (_what, published) => {
    await inspectList(published, '2001:db8::1');
  });

  test('is not queried without an address', async () => {
    await inspectList({}, null);
  });
});

describe('a blocklist of domains', () => {
  const LIST = 'domains.example';
  const QUERY = `spam.example.${LIST}`;
  const alive = { [`test.${LIST}`]: at('127.0.1.2') };

  test.each<[string, ZoneLiteral, string?]>([
    ['lists a domain', { ...alive, [QUERY]: at('127.0.1.2') }],
    ['does not list it', alive],
    ['refuses, as Spamhaus does', { [QUERY]: at('127.255.255.254') }],
    ['refuses, as SURBL and URIBL do', { [QUERY]: at('127.0.0.1') }],
    ['lists everything', { ...alive, [QUERY]: at('127.0.1.2'), [`invalid.${LIST}`]: at('127.0.1.2') }],
    ['has shut down', { [LIST]: { TXT: ['x'] } }],
    ['became a web site', { ...alive, [QUERY]: at('192.0.2.1') }],
    ['does not answer', { ...alive, [QUERY]: 'TIMEOUT' }],
    [
      'is of Spamhaus has another test entry',
      { 'dbltest.com.dbl.spamhaus.org': at('127.0.1.2') },
      'dbl.spamhaus.org',
    ],
    [
      'is of Spamhaus is shown without the key in its name',
      { 'dbltest.com.key.dbl.dq.spamhaus.net': at('127.0.1.2') },
      'key.dbl.dq.spamhaus.net',
    ],
  ])('that %s', async (_what, ...[published, list = LIST]) => {
    recorded(await inspectDomainBlocklists(['spam.example'], [list], zone(published)));
  });
});

describe('the MX of the sender domain', () => {
  const mx = (exchanges: readonly string[], host: ZoneLiteral[string] = {}): ZoneLiteral => ({
    'example.org': { MX: exchanges.map((name) => [10, name] as const) },
    'mx.example.org': host,
  });

  test.each<[string, ZoneLiteral]>([
    ['is valid with a host that has an address', mx(['mx.example.org'], at('192.0.2.1'))],
    ['is valid with an IPv6-only host', mx(['mx.example.org'], { AAAA: ['2001:db8::1'] })],
    ['is valid without MX records if the domain has an address', { 'example.org': at('192.0.2.1') }],
    ['is none without MX records and without an address', { 'example.org': { TXT: ['x'] } }],
    [
      'is unknown without MX records if the lookup of the address fails',
      { 'example.org': { A: 'TIMEOUT', AAAA: 'TIMEOUT' } },
    ],
    ['is none with a null MX', mx(['.'])],
    ['is invalid with a null MX beside another record', mx(['.', 'mx.example.org'])],
    ['is invalid with a host without an address', mx(['mx.example.org'])],
    ['is invalid with an address instead of a name', mx(['192.0.2.1'])],
    [
      'is invalid with one dangling host among others',
      mx(['mx.example.org', 'gone.example.org'], at('192.0.2.1')),
    ],
    ['is unknown if the MX lookup fails', { 'example.org': 'SERVFAIL' }],
    ['is unknown if the lookup of a host fails', mx(['mx.example.org'], 'TIMEOUT')],
  ])('%s', async (_what, published) => {
    recorded(await inspectSenderMx('Example.org', zone(published)));
  });

  test('shows the extended DNS error of a failed lookup', async () => {
    const dns = withExtendedError(zone({ 'example.org': 'SERVFAIL' }), 'DNSSEC Bogus');
    const { problem } = await inspectSenderMx('example.org', dns);
    expect(problem).toBe('The MX lookup for example.org failed (server-failure, DNSSEC Bogus).');
  });

  test('is unknown without a domain', async () => {
    expect(await inspectSenderMx(null, zone({}))).toMatchObject({ domain: null, status: 'unknown' });
  });
});
