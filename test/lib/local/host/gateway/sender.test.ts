/** Which hosts the gateway answers for, and whom it takes for the sender of a request. */
import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { isOwnHost } from '../../../../../lib/local/host/gateway/sender.ts';
import { startGateway } from '../../../../../lib/local/host/gateway/server.ts';
import { parseNetworks } from '../../../../../shared/runtime/config/config-lists.ts';
import { createLog } from '../../../../../shared/runtime/logging/log.ts';
import { use } from '../../../../kit/use.ts';

const HOST_URL = 'https://monitor.example:8443';

async function serve(trusted = '', address = '127.0.0.1'): Promise<number> {
  const echo = { name: 'echo', invoke: async (event: unknown) => ({ body: JSON.stringify(event) }) };
  const gateway = await use(
    startGateway({
      ...{ routes: [{ method: 'GET', path: '/route', handler: echo }], fallback: echo, address, port: 0 },
      log: createLog('silent'),
      hostUrl: () => HOST_URL,
      trustedProxies: parseNetworks(trusted),
      local: { '/local': async ({ isLocal }) => ({ status: 200, body: { isLocal } }) },
    }),
  );
  return gateway.port;
}

async function get(
  port: number,
  path: string,
  headers: OutgoingHttpHeaders,
  host = '127.0.0.1',
): Promise<{ status: number | undefined; body: unknown }> {
  const sent = request({ host, port, path, headers, agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await json(answer) };
}

const clientOf = async (port: number, headers: OutgoingHttpHeaders) => {
  const { body } = await get(port, '/route', headers);
  return (body as { requestContext: { http: { sourceIp: string } } }).requestContext.http.sourceIp;
};

describe('the Host header', () => {
  test.each([
    'localhost',
    'LocalHost:3000',
    '127.0.0.1:3000',
    '127.8.9.10',
    '[::1]:3000',
    '[::ffff:127.0.0.1]',
    'monitor.example',
    'Monitor.Example:8443',
    'monitor.example:80',
  ])('%s is answered', async (host) => {
    const port = await serve();
    for (const path of ['/route', '/local', '/unknown'])
      expect((await get(port, path, { host })).status).toBe(200);
  });

  test.each([
    'rebound.example:3000',
    'monitor.example.rebound.example',
    'localhost.rebound.example',
    '127.0.0.1.rebound.example',
    '192.0.2.1',
    '[2001:db8::1]',
    '0.0.0.0',
    '2130706433',
    'localhost@rebound.example',
    'rebound.example@localhost',
    'localhost:3000:3000',
    'localhost/',
    '[localhost]',
  ])('%p is refused with a reason', async (host) => {
    const port = await serve();
    for (const path of ['/route', '/local', '/unknown']) {
      expect(await get(port, path, { host })).toEqual({
        status: 421,
        body: { message: expect.stringContaining(`Use ${HOST_URL}, or set HOST_URL`) },
      });
    }
  });

  test('is refused if it is missing, or there are two', async () => {
    const port = await serve();
    for (const head of ['GET /route HTTP/1.0', 'GET /route HTTP/1.1\r\nHost: localhost\r\nHost: localhost']) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head}\r\n\r\n`);
      const [answer] = await once(socket, 'data');
      socket.destroy();
      expect(String(answer)).toMatch(/^HTTP\/1\.1 4(?:00|21) /);
    }
  });

  test.each([
    ['192.0.2.7', '192.0.2.7', true],
    ['::ffff:192.0.2.7', '192.0.2.7:3000', true],
    ['2001:db8::7', '[2001:DB8:0::7]:3000', true],
    ['fe80::7%eth0', '[fe80::7]', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['2001:db8::7', '[2001:db8::8]', false],
  ])('of a request that arrived at %s can be %s: %p', (localAddress, host, isAnswered) => {
    const arrived = { headersDistinct: { host: [host] }, socket: { localAddress } };
    expect(isOwnHost(arrived as unknown as IncomingMessage, undefined)).toBe(isAnswered);
  });
});

const forwarding: readonly OutgoingHttpHeaders[] = [
  { 'X-Forwarded-For': '192.0.2.7' },
  { 'X-Forwarded-For': '127.0.0.1' },
  { 'X-Forwarded-For': '' },
  { 'X-Forwarded-Host': 'localhost' },
  { 'X-Forwarded-Proto': 'https' },
  { Forwarded: 'for=127.0.0.1' },
  { 'X-Real-IP': '127.0.0.1' },
  { Via: '1.1 proxy' },
];

describe('without trusted proxies', () => {
  test('a program on this machine is local', async () => {
    const port = await serve();
    expect((await get(port, '/local', {})).body).toEqual({ isLocal: true });
    expect(await clientOf(port, {})).toBe('127.0.0.1');
  });

  test.each(forwarding)('what a proxy on this machine passes on with %j is not', async (headers) => {
    const port = await serve();
    expect((await get(port, '/local', headers)).body).toEqual({ isLocal: false });
    expect(await clientOf(port, headers)).toBe('127.0.0.1');
  });

  test('an IPv4 client of an IPv6 socket has its IPv4 address', async () => {
    const port = await serve('', '::');
    expect(await clientOf(port, {})).toBe('127.0.0.1');
    expect((await get(port, '/local', {})).body).toEqual({ isLocal: true });
  });
});

describe('with trusted proxies', () => {
  const trusted = '127.0.0.0/8, ::1, 10.0.0.0/8';

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7, 10.1.2.3', '192.0.2.7'],
    // A stranger wrote everything before the last address that is not a proxy.
    ['127.0.0.1, 192.0.2.7', '192.0.2.7'],
    ['10.0.0.1, 192.0.2.7, 10.1.2.3', '192.0.2.7'],
    ['nonsense, 192.0.2.7', '192.0.2.7'],
    ['2001:DB8::7', '2001:db8::7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
  ])('the client of X-Forwarded-For: %s is %s, and not local', async (value, client) => {
    const port = await serve(trusted);
    const headers = { 'X-Forwarded-For': value };
    expect(await clientOf(port, headers)).toBe(client);
    expect((await get(port, '/local', headers)).body).toEqual({ isLocal: false });
  });

  test('several such headers are one list', async () => {
    const port = await serve(trusted);
    expect(await clientOf(port, { 'X-Forwarded-For': ['127.0.0.1', '192.0.2.7'] })).toBe('192.0.2.7');
  });

  test('a client on this machine is local, through a proxy or not', async () => {
    const port = await serve(trusted);
    for (const headers of [{}, { 'X-Forwarded-For': '127.0.0.1' }])
      expect((await get(port, '/local', headers)).body).toEqual({ isLocal: true });
  });

  test.each(forwarding.slice(3))(
    'a proxy that does not say who its client is is not: %j',
    async (headers) => {
      const port = await serve(trusted);
      expect((await get(port, '/local', headers)).body).toEqual({ isLocal: false });
    },
  );

  test('an address that is none is refused', async () => {
    const port = await serve(trusted);
    for (const value of ['unknown', '192.0.2.7:1234', '192.0.2.7, _hidden'])
      expect((await get(port, '/route', { 'X-Forwarded-For': value })).status).toBe(400);
  });

  test('other peers are not believed', async () => {
    const port = await serve('192.0.2.0/24');
    const headers = { 'X-Forwarded-For': '198.51.100.1' };
    expect(await clientOf(port, headers)).toBe('127.0.0.1');
    expect((await get(port, '/local', headers)).body).toEqual({ isLocal: false });
  });
});
