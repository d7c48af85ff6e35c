import { describe, expect, test } from '@jest/globals';
import { createAuthorities } from '../../../shared/network/authorities.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import { hasBind, startBind } from '../../kit/bind.ts';
import { type DnsServerOptions, startDnsServer } from '../../kit/dns-server.ts';
import { use } from '../../kit/use.ts';
import { type ZoneLiteral, zone } from '../../kit/zone.ts';

const literal: ZoneLiteral = {
  'example.org': {
    MX: [
      [10, 'mx1.example.org'],
      [20, 'mx2.example.org'],
    ],
  },
  'alias.example.org': { CNAME: ['example.org'] },
  'refused.example.org': 'REFUSED',
  'failing.example.org': 'SERVFAIL',
  'long.example.org': { TXT: Array.from({ length: 30 }, (_, index) => `${index}`.padEnd(200, 'x')) },
};

async function start(options: DnsServerOptions = {}) {
  const server = await use(startDnsServer(literal, { authoritative: true, ...options }));
  const dns = zone({ 'ns.example.org': { A: ['192.0.2.53'] } });
  const dialMap = new Map([['ns.example.org:53', server]]);
  return { server, authorities: createAuthorities(createDialer({ dns, privateAddresses: 'deny', dialMap })) };
}

describe('a name server that is queried directly', () => {
  test.each<[string, 'MX' | 'TXT', object]>([
    [
      'example.org',
      'MX',
      {
        status: 'found',
        records: [
          { preference: 10, exchange: 'mx1.example.org' },
          { preference: 20, exchange: 'mx2.example.org' },
        ],
      },
    ],
    ['EXAMPLE.ORG.', 'MX', { status: 'found' }],
    ['example.org', 'TXT', { status: 'absent' }],
    ['nothing.example.org', 'MX', { status: 'absent' }],
    ['alias.example.org', 'MX', { status: 'alias', target: 'example.org' }],
    ['refused.example.org', 'MX', { status: 'unavailable', detail: 'REFUSED', notServed: 'REFUSED' }],
    ['failing.example.org', 'MX', { status: 'unavailable', detail: 'SERVFAIL' }],
    [`${'x'.repeat(64)}.example.org`, 'MX', { status: 'absent' }],
  ])('returns its records for %s %s', async (name, type, expected) => {
    const { authorities } = await start();
    const answer = await authorities.ask('ns.example.org', name, type);
    expect(answer).toMatchObject(expected);
    expect('notServed' in answer).toBe('notServed' in expected);
  });

  test('is queried again over TCP if the response is truncated', async () => {
    const { server, authorities } = await start();
    const answer = await authorities.ask('ns.example.org', 'long.example.org', 'TXT');
    expect(answer).toMatchObject({ status: 'found', records: { length: 30 } });
    expect(server.queries).toEqual(['udp long.example.org TXT', 'tcp long.example.org TXT']);
  });

  test('is queried without recursion, for signatures', async () => {
    const flags: number[] = [];
    const forge = (query: Buffer) => {
      flags.push(query.readUInt16BE(2), query.readUInt16BE(query.length - 4));
      return [];
    };
    const { authorities } = await start({ behaviours: { 'example.org': { forge } } });
    expect(await authorities.ask('ns.example.org', 'example.org', 'MX')).toMatchObject({ detail: 'timeout' });
    expect(flags).toEqual([0, 0x8000, 0, 0x8000]);
  });

  test('that sends a response that cannot be read is unavailable', async () => {
    const forge = (query: Buffer) => [Buffer.concat([query.fill(0x84, 2, 3).fill(1, 7, 8), query])];
    const { authorities } = await start({ behaviours: { 'example.org': { forge } } });
    const answer = await authorities.ask('ns.example.org', 'example.org', 'MX');
    expect(answer).toEqual({ status: 'unavailable', detail: 'malformed' });
  });

  test('is queried once more after a lost packet', async () => {
    const { authorities } = await start({ behaviours: { 'example.org': { drop: 1 } } });
    expect(await authorities.ask('ns.example.org', 'example.org', 'MX')).toMatchObject({ status: 'found' });
  });

  test('is asked only as often as is allowed, a repeated query included', async () => {
    const { server, authorities } = await start({ behaviours: { 'example.org': { drop: true } } });
    const allowed = [true, false];
    const answer = await authorities.ask(
      'ns.example.org',
      'example.org',
      'MX',
      async () => allowed.shift() ?? false,
    );
    expect(answer).toMatchObject({ status: 'unavailable', detail: expect.stringContaining('limit') });
    expect(server.queries).toEqual(['udp example.org MX']);
  });

  test('that sends a response for another name is ignored', async () => {
    const { authorities } = await start({ authoritative: false });
    const answer = await authorities.ask('ns.example.org', 'example.org', 'MX');
    expect(answer).toEqual({ status: 'unavailable', detail: 'not authoritative', notServed: 'NOERROR' });
  });

  test.each<[string, ZoneLiteral]>([
    ['has no address', {}],
    ['has a private address', { 'ns.example.net': { A: ['10.0.0.53'] } }],
    ['has an address lookup that failed', { 'ns.example.net': 'SERVFAIL' }],
  ])('is not queried if it %s', async (_, names) => {
    const dialer = createDialer({ dns: zone(names), privateAddresses: 'deny', dialMap: new Map() });
    const answer = await createAuthorities(dialer).ask('ns.example.net', 'example.org', 'MX');
    expect(answer.status).toBe('unavailable');
  });

  test('that does not listen is unavailable', async () => {
    const { server, authorities } = await start();
    await server.stop();
    const answer = await authorities.ask('ns.example.org', 'example.org', 'MX');
    expect(answer).toEqual({ status: 'unavailable', detail: 'unreachable' });
  });
});

(hasBind() ? describe : describe.skip)('the server of a parent zone', () => {
  test('names the servers to which it delegates, for the delegated name only', async () => {
    const bind = await use(startBind(['org']));
    await bind.publish('org', ['example IN NS ns1.example.org.', 'example IN NS ns2.there.net.']);
    const [address = '', port] = bind.server.split(':');
    const dialMap = new Map([['ns.example.org:53', { address, port: Number(port) }]]);
    const dns = zone({ 'ns.example.org': { A: ['192.0.2.53'] } });
    const authorities = createAuthorities(createDialer({ dns, privateAddresses: 'deny', dialMap }));
    const ask = (name: string) => authorities.ask('ns.example.org', name, 'NS');
    expect(await ask('example.org')).toEqual({
      ...{ status: 'unavailable', detail: 'not authoritative', notServed: 'NOERROR' },
      delegatesTo: ['ns1.example.org', 'ns2.there.net'],
    });
    expect(await ask('sub.example.org')).not.toHaveProperty('delegatesTo');
    expect(await ask('gone.org')).toEqual({ status: 'absent' });
  }, 40_000);
});
