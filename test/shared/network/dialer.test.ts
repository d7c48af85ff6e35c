import { createServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import {
  ContactRefused,
  connectFirst,
  createDialer,
  dialKey,
  type Endpoint,
} from '../../../shared/network/dialer.ts';
import { withExtendedError, zone } from '../../kit/zone.ts';

const world = {
  'public.test': { A: ['8.8.8.8'], AAAA: ['2600::1'] },
  'private.test': { A: ['10.0.0.1'], AAAA: ['::1'] },
  'mixed.test': { A: ['10.0.0.1', '8.8.8.8'] },
  'many.test': { A: Array.from({ length: 50 }, (_, i) => `8.8.8.${i}`) },
  'six.test': { AAAA: ['2600::1'] },
  'none.test': {},
  'half.test': { A: ['8.8.8.8'], AAAA: 'TIMEOUT' },
  'unknown.test': { AAAA: 'SERVFAIL' },
} as const;

function dialer(options: { allow?: boolean; map?: [string, { address: string; port: number }][] } = {}) {
  const dns = zone(world);
  const dialMap = new Map(options.map ?? []);
  return {
    dns,
    ...createDialer({ dns, privateAddresses: options.allow === true ? 'allow' : 'deny', dialMap }),
  };
}

describe('the dialled addresses of a host', () => {
  test.each<[string, string, string]>([
    ['are all its addresses, IPv4 first', 'public.test', 'found 8.8.8.8 port 443, 2600::1 port 443'],
    ['are none if all are private', 'private.test', 'rejected 10.0.0.1'],
    ['are only the public ones', 'mixed.test', 'found 8.8.8.8 port 443'],
    ['may be IPv6 only', 'six.test', 'found 2600::1 port 443'],
    ['are none without an address', 'none.test', 'absent'],
    ['are none for a name that does not exist', 'nothing.test', 'absent'],
    ['are those of one family if the lookup of the other failed', 'half.test', 'found 8.8.8.8 port 443'],
    ['are unknown if it failed and the other has none', 'unknown.test', 'unavailable server-failure'],
    ['are the address itself for an address literal', '8.8.4.4', 'found 8.8.4.4 port 443'],
    ['are none for a private address literal', '127.0.0.1', 'rejected 127.0.0.1'],
    ['are none for a private IPv6 address literal', '::1', 'rejected ::1'],
  ])('%s', async (_title, host, expected) => {
    const resolved = await dialer().resolve(host, 443);
    const { endpoints = [], address = '', detail = '' } = Object(resolved);
    const found = endpoints.map((one: Endpoint) => `${one.address} port ${one.port}`).join(', ');
    expect(`${resolved.status} ${found}${address}${detail}`.trim()).toBe(expected);
  });

  test('are limited to six', async () => {
    expect(await dialer().resolve('many.test', 443)).toMatchObject({ endpoints: { length: 6 } });
  });

  test('are unknown with the extended DNS error of the failed lookup', async () => {
    const dns = withExtendedError(zone(world), 'DNSSEC Bogus');
    const { resolve } = createDialer({ dns, privateAddresses: 'deny', dialMap: new Map() });
    expect(await resolve('unknown.test', 443)).toEqual({
      status: 'unavailable',
      detail: 'server-failure, DNSSEC Bogus',
    });
  });

  test('are looked up once and concurrently for both families', async () => {
    const { dns, resolve } = dialer();
    await resolve('public.test', 443);
    expect(dns.questions).toEqual(['public.test A', 'public.test AAAA']);
  });

  test('include private addresses if these are allowed', async () => {
    expect(await dialer({ allow: true }).resolve('private.test', 443)).toMatchObject({
      status: 'found',
      endpoints: { length: 2 },
    });
    expect(dialer({ allow: true }).endpoint('x.test', '10.0.0.1', 25)).toEqual({
      address: '10.0.0.1',
      port: 25,
    });
    expect(dialer({ allow: true }).endpoint('x.test', 'localhost', 25)).toBeUndefined();
  });

  const elsewhere = { address: '127.0.0.1', port: 2525 };
  test.each<[string, string]>([
    ['by name', 'good.test:25'],
    ['by IPv4 address', '192.0.2.1:25'],
  ])('bypass the guard through the dial map %s', (_title, key) => {
    expect(dialer({ map: [[key, elsewhere]] }).endpoint('Good.test', '192.0.2.1', 25)).toEqual(elsewhere);
  });
  test('bypass the guard through the dial map by IPv6 address', () => {
    expect(
      dialer({ map: [[dialKey('2001:DB8::1', 25), elsewhere]] }).endpoint('x.test', '2001:db8::1', 25),
    ).toEqual(elsewhere);
  });
  test('use the dial map only for its port', () => {
    expect(dialer({ map: [['10.0.0.1:25', elsewhere]] }).endpoint('x.test', '10.0.0.1', 443)).toBeUndefined();
  });
  test('need no lookup for a name in the dial map', async () => {
    const { dns, resolve } = dialer({ map: [['good.test:443', elsewhere]] });
    expect(await resolve('good.test', 443)).toEqual({ status: 'found', endpoints: [elsewhere] });
    expect(dns.questions).toEqual([]);
  });
});

describe('connecting', () => {
  async function listening() {
    const server = createServer((socket) => socket.on('error', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    return {
      server,
      endpoint: { address: '127.0.0.1', port: typeof bound === 'object' && bound !== null ? bound.port : 0 },
    };
  }
  const closedPort = { address: '127.0.0.1', port: 1 };

  test('tries the next address after a refused connection', async () => {
    const { server, endpoint } = await listening();
    const socket = await connectFirst([closedPort, endpoint], new AbortController().signal);
    expect(socket.remotePort).toBe(endpoint.port);
    socket.destroy();
    server.close();
  });

  test('reports the last error if all addresses refuse', async () => {
    await expect(connectFirst([closedPort, closedPort], new AbortController().signal)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  test('stops when the signal aborts', async () => {
    const ended = new AbortController();
    const { server, endpoint } = await listening();
    ended.abort(new Error('enough'));
    await expect(connectFirst([endpoint], ended.signal)).rejects.toThrow('enough');
    server.close();
  });

  test('opens only the connections that are allowed', async () => {
    const { server, endpoint } = await listening();
    const asked: string[] = [];
    const second = { ...endpoint, address: '127.0.0.2' };
    const onlyFirst = async (address: string) => {
      asked.push(address);
      return address === '127.0.0.1';
    };
    const { signal } = new AbortController();
    const socket = await connectFirst([second, endpoint], signal, onlyFirst);
    expect([asked, socket.remoteAddress]).toEqual([['127.0.0.2', '127.0.0.1'], '127.0.0.1']);
    socket.destroy();
    await expect(connectFirst([second], signal, onlyFirst)).rejects.toThrow(ContactRefused);
    await expect(connectFirst([closedPort, second], signal, onlyFirst)).rejects.toThrow(ContactRefused);
    server.close();
  });

  test('tries the next address after a moment, and waits for all that it tries', async () => {
    const { server, endpoint } = await listening();
    let allow = () => {};
    const firstLate = async (address: string) => {
      if (address === endpoint.address) return new Promise<boolean>((done) => (allow = () => done(true)));
      setImmediate(allow);
      return false;
    };
    const refused = { ...endpoint, address: '127.0.0.2' };
    const socket = await connectFirst([endpoint, refused], new AbortController().signal, firstLate);
    expect(socket.remoteAddress).toBe(endpoint.address);
    socket.destroy();
    server.close();
  });

  test('opens no connection that is allowed after the signal aborts', async () => {
    const { server, endpoint } = await listening();
    const connected: unknown[] = [];
    server.on('connection', (socket) => connected.push(socket));
    const ended = new AbortController();
    const allowLate = async () => {
      ended.abort(new Error('enough'));
      return true;
    };
    await expect(connectFirst([endpoint], ended.signal, allowLate)).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(connected).toEqual([]);
    server.close();
  });

  test('fails without an address', async () => {
    await expect(connectFirst([], new AbortController().signal)).rejects.toThrow('no address');
  });
});
