import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Gateway, startGateway } from '../../../lib/local/gateway/server.ts';
import { createLog, type LogFields } from '../../../shared/runtime/log.ts';

let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

/** A gateway of these routes, `GET /a/{b}` and so on; each answers with its event. */
async function serve(...keys: string[]): Promise<string> {
  const echo = { name: 'echo', invoke: async (event: unknown) => ({ body: JSON.stringify(event) }) };
  gateway = await startGateway({
    routes: keys.map((key) => {
      const [method = '', path = ''] = key.split(' ');
      return { method, path, called: echo };
    }),
    fallback: echo,
    address: '127.0.0.1',
    port: 0,
    log: createLog('silent'),
  });
  return `http://127.0.0.1:${gateway.port}`;
}

const eventOf = async (...request: Parameters<typeof fetch>) =>
  (await (await fetch(...request)).json()) as APIGatewayProxyEventV2;

test.each([
  ['/things/a%3Fzz/verify', '$default', undefined],
  ['/things/a%2Fverify', 'DELETE /things/{id}', { id: 'a/verify' }],
  ['/things/a%3Fzz', 'DELETE /things/{id}', { id: 'a?zz' }],
  ['/things/%3Fx/checks', 'DELETE /things/{id}/checks', { id: '?x' }],
  ['/things/%3Fx', 'DELETE /things/{id}', { id: '?x' }],
  ['/things%3F', '$default', undefined],
  ['/things/a%20b/?c=%3F', 'DELETE /things/{id}', { id: 'a b' }],
])('finds the route of %s by the path as it was sent', async (path, routeKey, pathParameters) => {
  const url = await serve('DELETE /things', 'DELETE /things/{id}', 'DELETE /things/{id}/checks');
  const event = await eventOf(url + path, { method: 'DELETE' });
  expect([event.routeKey, event.pathParameters]).toEqual([routeKey, pathParameters]);
});

test('tells the path decoded, and cut at a decoded question mark, as API Gateway does', async () => {
  const url = await serve();
  const event = await eventOf(`${url}/a%20b%3Fc/d?e=%3F`);
  expect([event.rawPath, event.rawQueryString]).toEqual(['/a b', 'e=%3F']);
});

test('answers HEAD with headers, and tells no length that it does not know', async () => {
  const url = await serve('HEAD /things');
  const answer = await fetch(`${url}/things`, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, null, '']);
});

test('a path that nobody has is answered before its body has come', async () => {
  const { port } = new URL(await serve('POST /things'));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
});

test('a body that is too large is refused, announced or not', async () => {
  const url = `${await serve('POST /things')}/things`;
  const body = new Uint8Array(10 * 1024 * 1024 + 1);
  const chunked = { method: 'POST', body: new Blob([body]).stream(), duplex: 'half' } as RequestInit;
  expect((await fetch(url, { method: 'POST', body })).status).toBe(413);
  expect((await fetch(url, chunked)).status).toBe(413);
  const fits = await eventOf(url, { method: 'POST', body: body.subarray(0, 4 * 1024 * 1024) });
  expect(Buffer.from(fits.body ?? '', 'base64')).toHaveLength(4 * 1024 * 1024);
}, 30_000);

test('a client that hangs up in the middle of its body is no error', async () => {
  const unreached = { name: 'none', invoke: () => Promise.reject(new Error('not reached')) };
  const lines: LogFields[] = [];
  gateway = await startGateway({
    routes: [{ method: 'POST', path: '/things', called: unreached }],
    fallback: unreached,
    address: '127.0.0.1',
    port: 0,
    log: createLog('debug', (line) => lines.push(line)),
  });
  const socket = connect(gateway.port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise<void>((resolve) => {
    socket.write('POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf', () =>
      resolve(),
    );
  });
  socket.destroy();
  const end = Date.now() + 20_000;
  while (lines.length === 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lines).toMatchObject([{ level: 'debug', message: 'request was cut off' }]);
}, 30_000);
