import { describe, expect, test } from '@jest/globals';
import type { BlocklistRole } from '../../../shared/mail-test/blocklist-zones.ts';
import { inspectBlocklists, inspectDomainBlocklists } from '../../../shared/mail-test/blocklists.ts';
import { inspectReverseDns } from '../../../shared/mail-test/reverse-dns.ts';
import { inspectSenderMx } from '../../../shared/mail-test/sender-mx.ts';
import { recorded } from '../../kit/recorded.ts';
import { withExtendedError, type ZoneLiteral, zone } from '../../kit/zone.ts';

const NAME = '7.2.0.192.in-addr.arpa';
const named = (...names: string[]) => ({ [NAME]: { PTR: names } });
const at = (...addresses: string[]) => ({ A: addresses });

describe('the reverse name of the sending host', () => {
  test.each<[string, ZoneLiteral, string | null]>([
    [
      'is valid if it resolves back and equals the HELO name',
      { ...named('mail.example.org'), 'mail.example.org': at('192.0.2.7') },
      'MAIL.example.org.',
    ],
    [
      'is valid if the HELO name is in the same organization',
      { ...named('out-7.example.org'), 'out-7.example.org': at('192.0.2.7') },
      'mail.example.org',
    ],
    [
      'is, of several, the one that matches best',
      {
        ...named('a.example.net', 'mail.example.org'),
        'a.example.net': at('192.0.2.7'),
        'mail.example.org': at('192.0.2.7'),
      },
      'mail.example.org',
    ],
    [
      'is a mismatch if the HELO name belongs to another organization',
      { ...named('host.example.net'), 'host.example.net': at('192.0.2.7') },
      'mail.example.org',
    ],
    [
      'is a mismatch if the two names share only a public suffix',
      { ...named('a.co.uk'), 'a.co.uk': at('192.0.2.7') },
      'b.co.uk',
    ],
    [
      'is a mismatch if it does not resolve back',
      { ...named('mail.example.org'), 'mail.example.org': at('192.0.2.8') },
      'mail.example.org',
    ],
    ['is a mismatch if the name does not exist', named('mail.example.org'), 'mail.example.org'],
    ['is missing', {}, 'mail.example.org'],
    ['is unknown if the PTR lookup fails', { [NAME]: 'SERVFAIL' }, 'mail.example.org'],
    [
      'is unknown if the forward lookup fails',
      { ...named('mail.example.org'), 'mail.example.org': 'TIMEOUT' },
      'mail.example.org',
    ],
  ])('%s', async (_what, published, helo) => {
    recorded(await inspectReverseDns('192.0.2.7', helo, zone(published)));
  });

  test('is looked up for IPv6 too', async () => {
    const ip6 = `${'1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2'}.ip6.arpa`;
    const dns = zone({
      [ip6]: { PTR: ['mail.example.org'] },
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
  const ALWAYS = '2.0.0.127.list.example';
  const NEVER = '1.0.0.127.list.example';
  const nibbles = (low: string) => `${low}.0.0.0.0.0.f.7.f.f.f.f${'.0'.repeat(20)}.list.example`;
  const working: ZoneLiteral = { [ALWAYS]: at('127.0.0.2'), [nibbles('2')]: at('127.0.0.2') };
  const inspectList = async (published: ZoneLiteral, ip: string | null = '192.0.2.7') =>
    recorded(await inspectBlocklists(ip, zones, zone({ ...working, ...published })));

  test.each<[string, ZoneLiteral, boolean | null, string | null, number]>([
    [
      'lists the address',
      { [QUERY]: { A: ['127.0.0.2', '127.0.0.10'], TXT: ['See https://list.example/'] } },
      true,
      null,
      1,
    ],
    ['does not list it', {}, false, null, 0],
    ['does not list it, with a no-data response', { [QUERY]: { TXT: ['x'] } }, false, null, 0],
    ['refuses queries from a public resolver', { [QUERY]: { A: ['127.255.255.254'] } }, null, 'refused', 0],
    ['refuses queries above its limit', { [QUERY]: { A: ['127.255.255.255'] } }, null, 'refused', 0],
    ['has become a web site', { [QUERY]: { A: ['203.0.113.80'] } }, null, 'broken', 0],
    ['returns the address that it must never list', { [QUERY]: { A: ['127.0.0.1'] } }, null, 'broken', 0],
    [
      'lists everything',
      { '*.list.example': at('127.0.0.2'), '*.0.0.127.list.example': at('127.0.0.2') },
      null,
      'broken',
      0,
    ],
    [
      'lists the address that must never be listed',
      { [QUERY]: at('127.0.0.2'), [NEVER]: at('127.0.0.2') },
      null,
      'broken',
      0,
    ],
    [
      'lists the address, and its negative test entry fails',
      { [QUERY]: at('127.0.0.2'), [NEVER]: 'TIMEOUT' },
      true,
      null,
      1,
    ],
    ['lists the address but not its test entry', { [QUERY]: at('127.0.0.2'), [ALWAYS]: {} }, true, null, 1],
    ['has shut down or blocks this resolver, and lists nothing', { [ALWAYS]: {} }, null, 'no-test-entry', 0],
    ['does not respond for its test entry', { [ALWAYS]: 'TIMEOUT' }, null, 'no-answer', 0],
    ['does not respond', { [QUERY]: 'TIMEOUT' }, null, 'no-answer', 0],
    ['responds with SERVFAIL', { [QUERY]: 'SERVFAIL' }, null, 'no-answer', 0],
    ['responds with REFUSED', { [QUERY]: 'REFUSED' }, null, 'no-answer', 0],
  ])('%s', async (_what, published, listed, unknown, count) => {
    const { listed: total, results } = await inspectList(published);
    expect(total).toBe(count);
    expect(results).toMatchObject([{ list: 'combined', zone: 'list.example', listed, unknown }]);
  });

  test.each([
    ['zen.spamhaus.org', 'zen.spamhaus.org'],
    ['secretkey123.zen.dq.spamhaus.net', 'spamhaus.net'],
    ['key.zen.spamhaus.org', 'spamhaus.org'],
    ['lists.example.co.uk', 'example.co.uk'],
  ])('%s is shown as %s, whatever it returns', async (configured, shown) => {
    const configuredZones = new Map<BlocklistRole, string>([['combined', configured]]);
    const listing = {
      [`7.2.0.192.${configured}`]: at('127.0.0.2'),
      [`2.0.0.127.${configured}`]: at('127.0.0.2'),
    };
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

  const IPV6_QUERY = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.list.example';
  test.each<[string, ZoneLiteral, boolean | null, string | null]>([
    ['lists the address', { [IPV6_QUERY]: at('127.0.0.3') }, true, null],
    ['does not list it', {}, false, null],
    ['contains only IPv4 addresses', { [nibbles('2')]: {} }, null, 'no-ipv6'],
    [
      'lists every IPv6 address',
      { [IPV6_QUERY]: at('127.0.0.3'), [nibbles('1')]: at('127.0.0.3') },
      null,
      'broken',
    ],
  ])('is queried for IPv6 by nibbles: it %s', async (_what, published, listed, unknown) => {
    const { results } = await inspectList(published, '2001:db8::1');
    expect(results).toMatchObject([{ listed, unknown }]);
  });

  test('is not queried without an address', async () => {
    expect(await inspectList({}, null)).toMatchObject({
      listed: 0,
      results: [{ listed: null, unknown: 'no-address' }],
    });
  });
});

describe('a blocklist of domains', () => {
  const LIST = 'domains.example';
  const alive = { [`test.${LIST}`]: at('127.0.1.2') };
  const inspectDomain = async (published: ZoneLiteral, list = LIST) => {
    const { listed, results } = recorded(
      await inspectDomainBlocklists(['spam.example'], [list], zone(published)),
    );
    return [listed, results[0]?.listed, results[0]?.unknown];
  };

  test.each<[string, ZoneLiteral, [number, boolean | null, string | null]]>([
    ['lists a domain', { ...alive, [`spam.example.${LIST}`]: at('127.0.1.2') }, [1, true, null]],
    ['does not list it', alive, [0, false, null]],
    ['refuses, as Spamhaus does', { [`spam.example.${LIST}`]: at('127.255.255.254') }, [0, null, 'refused']],
    ['refuses, as SURBL and URIBL do', { [`spam.example.${LIST}`]: at('127.0.0.1') }, [0, null, 'refused']],
    [
      'lists everything',
      { ...alive, [`spam.example.${LIST}`]: at('127.0.1.2'), [`invalid.${LIST}`]: at('127.0.1.2') },
      [0, null, 'broken'],
    ],
    ['has shut down', { [LIST]: { TXT: ['x'] } }, [0, null, 'no-test-entry']],
    ['became a web site', { ...alive, [`spam.example.${LIST}`]: at('192.0.2.1') }, [0, null, 'broken']],
    ['does not answer', { ...alive, [`spam.example.${LIST}`]: 'TIMEOUT' }, [0, null, 'no-answer']],
  ])('that %s', async (_what, published, expected) => {
    expect(await inspectDomain(published)).toEqual(expected);
  });

  test('of Spamhaus has its own test entry', async () => {
    const published = { 'dbltest.com.dbl.spamhaus.org': at('127.0.1.2') };
    expect(await inspectDomain(published, 'dbl.spamhaus.org')).toEqual([0, false, null]);
    const keyed = { 'dbltest.com.key.dbl.dq.spamhaus.net': at('127.0.1.2') };
    const { results } = await inspectDomainBlocklists(
      ['example.org'],
      ['key.dbl.dq.spamhaus.net'],
      zone(keyed),
    );
    expect(results).toMatchObject([{ domain: 'example.org', zone: 'spamhaus.net', listed: false }]);
  });
});

describe('the MX of the sender domain', () => {
  const mx = (...exchanges: string[]) => ({
    'example.org': { MX: exchanges.map((name) => [10, name] as const) },
  });

  test.each<[string, ZoneLiteral, string]>([
    [
      'is valid with a host that has an address',
      { ...mx('mx.example.org'), 'mx.example.org': at('192.0.2.1') },
      'valid',
    ],
    [
      'is valid with an IPv6-only host',
      { ...mx('mx.example.org'), 'mx.example.org': { AAAA: ['2001:db8::1'] } },
      'valid',
    ],
    ['is valid without MX records if the domain has an address', { 'example.org': at('192.0.2.1') }, 'valid'],
    ['is none without MX records and without an address', { 'example.org': { TXT: ['x'] } }, 'none'],
    [
      'is unknown without MX records if the lookup of the address fails',
      { 'example.org': { A: 'TIMEOUT', AAAA: 'TIMEOUT' } },
      'unknown',
    ],
    ['is none with a null MX', mx('.'), 'none'],
    ['is invalid with a null MX beside another record', mx('.', 'mx.example.org'), 'invalid'],
    ['is invalid with a host without an address', mx('mx.example.org'), 'invalid'],
    ['is invalid with an address instead of a name', mx('192.0.2.1'), 'invalid'],
    [
      'is invalid with one dangling host among others',
      { ...mx('mx.example.org', 'gone.example.org'), 'mx.example.org': at('192.0.2.1') },
      'invalid',
    ],
    ['is unknown if the MX lookup fails', { 'example.org': 'SERVFAIL' }, 'unknown'],
    [
      'is unknown if the lookup of a host fails',
      { ...mx('mx.example.org'), 'mx.example.org': 'TIMEOUT' },
      'unknown',
    ],
  ])('%s', async (_what, published, status) => {
    const found = recorded(await inspectSenderMx('Example.org', zone(published)));
    expect(found).toMatchObject({ domain: 'example.org', status });
    expect(found.problem === null).toBe(status === 'valid');
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
