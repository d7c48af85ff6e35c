import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { startGateway } from '../../../../../lib/local/host/gateway/server.ts';
import { createLog, type LogFields } from '../../../../../shared/runtime/logging/log.ts';
import { until } from '../../../../kit/until.ts';
import { use, useFolder } from '../../../../kit/use.ts';

type Options = Parameters<typeof startGateway>[0];

/** @returns The port. */
async function start(routes: Options['routes'], options: Partial<Options> = {}): Promise<number> {
  const others = { address: '127.0.0.1', port: 0, log: createLog('silent'), hostUrl: () => undefined };
  const fallback = { name: 'none', invoke: () => Promise.reject(new Error('not reached')) };
  return (await use(startGateway({ routes, fallback, ...others, ...options }))).port;
}

/** Starts a gateway with routes such as `GET /a/{b}`. Each route returns its event. */
async function serve(...keys: string[]): Promise<string> {
  const echo = { name: 'echo', invoke: async (event: unknown) => ({ body: JSON.stringify(event) }) };
  const routes = keys.map((key) => {
    const [method = '', path = ''] = key.split(' ');
    return { method, path, handler: echo };
  });
  return `http://127.0.0.1:${await start(routes, { fallback: echo })}`;
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
])('finds the route of %s by the undecoded path', async (path, routeKey, pathParameters) => {
  const url = await serve('DELETE /things', 'DELETE /things/{id}', 'DELETE /things/{id}/checks');
  const event = await eventOf(url + path, { method: 'DELETE' });
  expect([event.routeKey, event.pathParameters]).toEqual([routeKey, pathParameters]);
});

test('passes on the decoded path, truncated at a decoded question mark, as API Gateway does', async () => {
  const url = await serve();
  const event = await eventOf(`${url}/a%20b%3Fc/d?e=%3F`);
  expect([event.rawPath, event.rawQueryString]).toEqual(['/a b', 'e=%3F']);
});

test('responds to HEAD without a Content-Length', async () => {
  const url = await serve('HEAD /things');
  const answer = await fetch(`${url}/things`, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, null, '']);
});

test('responds to an unknown path before the body arrives', async () => {
  const { port } = new URL(await serve('POST /things'));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
});

describe('a body that is too large gets a 413 response', () => {
  const MEGABYTE = 1024 * 1024;

  test('a smaller one is accepted', async () => {
    const url = `${await serve('POST /things')}/things`;
    const fits = await eventOf(url, { method: 'POST', body: new Uint8Array(4 * MEGABYTE) });
    expect(Buffer.from(fits.body ?? '', 'base64')).toHaveLength(4 * MEGABYTE);
  });

  test('before any of it arrives, if its Content-Length is too large', async () => {
    const { port } = new URL(await serve('POST /things'));
    const answer = await exchange(port, [`Content-Length: ${7 * MEGABYTE}`], 0);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*"code":"payload_too_large"/s);
  });

  test('instead of 100 Continue', async () => {
    const { port } = new URL(await serve('POST /things'));
    const expecting = (octets: number) =>
      exchange(port, [`Content-Length: ${octets}`, 'Expect: 100-continue'], 0);
    expect(await expecting(7 * MEGABYTE)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await expecting(MEGABYTE)).toMatch(/^HTTP\/1\.1 100 Continue\r\n/);
  });

  test.each([
    ['Content-Length', 7],
    ['Content-Length', 50],
    ['Transfer-Encoding', 7],
    ['Transfer-Encoding', 50],
  ] as const)('with %s and %d MB, also if the client reads nothing before its end', async (how, size) => {
    const { port } = new URL(await serve('POST /things'));
    const isChunked = how === 'Transfer-Encoding';
    const header = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${size * MEGABYTE}`;
    const answer = await exchange(port, [header], size, isChunked);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*"message":"A request holds at most 6 MB\."/s);
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
  });

  const curl = spawnSync('curl', ['--version']).status === 0;
  (curl ? test : test.skip).each([7, 50])(
    `with %d MB from curl, however it is sent${curl ? '' : ' (skipped: no curl)'}`,
    async (size) => {
      const url = `${await serve('POST /things')}/things`;
      const folder = useFolder('gateway');
      const file = join(folder, 'body');
      writeFileSync(file, Buffer.alloc(size * MEGABYTE, 'x'));
      const expectation = ['Expect:', 'Expect: 100-continue'];
      const framing = [[], ['-H', 'Transfer-Encoding: chunked']];
      for (const expect100 of expectation) {
        for (const chunked of framing) {
          const { stdout } = await promisify(execFile)('curl', [
            ...['-sS', '-X', 'POST', '-H', expect100, ...chunked, '--data-binary', `@${file}`],
            ...['-w', '\n%{http_code}', '--max-time', '60', url],
          ]);
          expect(stdout).toMatch(/^\{"error":\{"code":"payload_too_large",.*\}\n413$/);
        }
      }
    },
  );
});

/** Sends a request with a body of this many megabytes, and only then reads the response. */
async function exchange(port: string, headers: readonly string[], megabytes: number, isChunked = false) {
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const send = (data: string | Buffer) =>
    new Promise<void>((resolve, reject) =>
      socket.write(data, (error) => (error ? reject(error) : resolve())),
    );
  await send(['POST /things HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n'));
  for (let sent = 0; sent < megabytes; sent += 1) {
    if (isChunked) await send('100000\r\n');
    await send(Buffer.alloc(0x100000, 'x'));
    if (isChunked) await send('\r\n');
  }
  if (isChunked) await send('0\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) {
    answer += chunk;
    if (/\}\r\n0\r\n\r\n$|100 Continue\r\n\r\n$/.test(answer)) break;
  }
  return answer;
}

test('logs no error if a client disconnects while it sends a body', async () => {
  const unreached = { name: 'none', invoke: () => Promise.reject(new Error('not reached')) };
  const lines: LogFields[] = [];
  const log = createLog('debug', (line) => lines.push(line));
  const port = await start([{ method: 'POST', path: '/things', handler: unreached }], { log });
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise<void>((resolve) => {
    socket.write('POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf', () =>
      resolve(),
    );
  });
  socket.destroy();
  await until(() => lines.length > 0);
  expect(lines).toMatchObject([{ level: 'debug', message: 'client disconnected during the request' }]);
});

test('while the process is too busy, tools are refused, with when to try again; others are not', async () => {
  let isTooBusy = true;
  const echo = { name: 'echo', invoke: async () => ({ statusCode: 200, body: 'done' }) };
  const routes = [
    { method: 'GET', path: '/tool', handler: echo, access: 'tool' as const },
    { method: 'GET', path: '/api', handler: echo },
  ];
  const port = await start(routes, { isTooBusy: () => isTooBusy });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const refused = await get('/tool');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await refused.json()).toEqual({ message: 'Service Unavailable' });
  expect((await get('/api')).status).toBe(200);
  isTooBusy = false;
  expect((await get('/tool')).status).toBe(200);
});

test('a handler learns that its client is gone', async () => {
  const learned = Promise.withResolvers<string>();
  const invoke = async (_: unknown, signal?: AbortSignal) => {
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    learned.resolve('gone');
    throw new Error('incomplete');
  };
  const lines: LogFields[] = [];
  const error = (_: string, fields: LogFields = {}) => void lines.push(fields);
  const port = await start([{ method: 'GET', path: '/slow', handler: { name: 'slow', invoke } }], {
    log: { ...createLog('silent'), error },
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
  setTimeout(() => socket.destroy(), 50);
  expect(await learned.promise).toBe('gone');
  expect(lines).toEqual([]);
});

test('a fixed response is made once, and known to a client that has its entity tag', async () => {
  let made = 0;
  const invoke = async () => {
    made += 1;
    const headers = { etag: '"1"', 'content-type': 'text/plain' };
    return { statusCode: 200, headers, body: Buffer.from('page').toString('base64'), isBase64Encoded: true };
  };
  const handler = { name: 'page', invoke };
  const port = await start([
    { method: 'GET', path: '/fixed', handler, access: 'page', isFixed: true },
    { method: 'GET', path: '/other', handler, access: 'page' },
  ]);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    const { status, headers: got } = answer;
    return [status, await answer.text(), got.get('etag'), got.get('content-type')];
  };
  const gzip = { 'accept-encoding': 'gzip' };
  const page = [200, 'page', '"1"', 'text/plain'];
  for (let time = 0; time < 3; time += 1) expect(await get('/fixed', gzip)).toEqual(page);
  expect(made).toBe(1);
  expect(await get('/fixed', { ...gzip, 'if-none-match': 'W/"1"' })).toEqual([304, '', '"1"', null]);
  expect(await get('/fixed', { 'accept-encoding': 'identity' })).toEqual(page);
  expect(made).toBe(2);
  await get('/other');
  await get('/other');
  expect(made).toBe(4);
});
