/** The operator's smoke test, against a service that is well and against the same one with something broken in front. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { readSmokeArguments, smoke } from '../../lib/admin/smoke/smoke.ts';
import { CommandError } from '../../lib/local/command-line.ts';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type BootedService, bootService, runToEnd } from '../kit/service.ts';

let service: BootedService;
let api: ApiClient;
let front: Server | undefined;

beforeAll(async () => {
  service = await bootService({ TOOL_RATE_PER_MINUTE: '0' });
  api = await apiClient(service);
});
afterEach(async () => {
  front?.close();
  front = undefined;
  expect((await api.call('GET', '/api/v1/domains')).body.data).toEqual([]);
});
afterAll(() => service?.remove());

interface Passed {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Puts a gateway before the service that does `harm` to some answers; returns its origin. */
async function breakBy(harm: (request: string, answer: Passed) => void): Promise<string> {
  front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization, 'content-type': type } = request.headers;
    const passed = await fetch(`${service.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const {
      'content-length': _length,
      'content-encoding': _coding,
      ...headers
    } = Object.fromEntries(passed.headers);
    const answer = { status: passed.status, headers, body: await passed.text() };
    harm(`${request.method} ${request.url}`, answer);
    response.writeHead(answer.status, { ...answer.headers, connection: 'close' });
    response.end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
}

/** What the smoke test says of the service behind `url`. */
async function said(url: string, signal?: AbortSignal): Promise<{ lines: string[]; isWell: boolean }> {
  const lines: string[] = [];
  const options = { url, token: service.token, smtp: undefined };
  const isWell = await smoke(options, (line) => lines.push(line), signal);
  return { lines, isWell };
}

test('a service that is well passes every step, a message sent to it included', async () => {
  const args = ['--url', service.url, '--token', service.token, '--smtp', `127.0.0.1:${service.smtpPort}`];
  const { code, output } = await runToEnd('smoke.ts', args, {});
  const lines = output.trim().split('\n');
  expect(lines.filter((line) => !/^ok {2,}\d+ ms {2}\S/.test(line))).toEqual(['20 ok, 0 failed, 0 skipped']);
  expect(code).toBe(0);
});

describe('a service with a fault fails, and nothing of the test is left in it:', () => {
  test.each<[string, RegExp, Partial<Passed>, RegExp]>([
    [
      'an error of the gateway in place of ours',
      /GET \/api\/v1\/nothing/,
      { body: '{"message":"Not Found"}' },
      /^FAILED .* an unknown path is 404 in the error shape: error is not as described: \{"message"/,
    ],
    [
      'a 405 that does not say what is allowed',
      /PUT/,
      { headers: {} },
      /^FAILED .* an unknown method is 405.*: Allow is null$/,
    ],
    [
      'no description',
      /openapi\.json/,
      { status: 503, body: 'Service Unavailable' },
      /^FAILED .* the API describes itself: 503 in place of 200: Service Unavailable$/,
    ],
    [
      'no score',
      /\/score$/,
      { status: 500, body: '{"message":"\u001b[2J"}' },
      /^FAILED .* it has a score: 500 in place of 200: \{"message":"\\x1b\[2J"\}$/,
    ],
    [
      'an answer to the registration that nobody can read',
      /POST \/api\/v1\/domains$/,
      { body: '<html>' },
      /^FAILED .* a domain is registered \(.*\): no JSON: <html>$/,
    ],
    [
      'a removal that is not confirmed',
      /DELETE/,
      { body: '{"data":{}}' },
      /^FAILED .* it is removed: data\.deleted is not as described/,
    ],
    [
      'a page without a policy',
      /GET \/$/,
      { headers: { 'content-type': 'text/html' } },
      /^FAILED .* the page for people .*: its policy is ""$/,
    ],
  ])('%s', async (_what, request, harm, line) => {
    const url = await breakBy((asked, answer) => {
      if (request.test(asked)) Object.assign(answer, harm);
    });
    const { lines, isWell } = await said(url);
    expect(isWell).toBe(false);
    expect(lines.filter((it) => it.startsWith('FAILED'))).toEqual([expect.stringMatching(line)]);
    expect(lines.at(-1)).toMatch(/^\d+ ok, 1 failed, \d+ skipped$/);
  });
});

test('what builds on a step that failed is skipped, and what was made is removed', async () => {
  const url = await breakBy((asked, answer) => {
    if (asked.endsWith('/checks')) answer.status = 503;
  });
  const { lines } = await said(url);
  const at = lines.findIndex((line) => line.startsWith('FAILED'));
  expect(lines.slice(at + 1, at + 5).map((line) => line.replace(/^(\w+) .* {2}/, '$1 '))).toEqual([
    'skipped it has a score',
    'skipped it is removed',
    'skipped it is gone',
    'ok nothing of it is left',
  ]);
});

test('an interrupted one removes what it made', async () => {
  const interrupted = new AbortController();
  const url = await breakBy((asked) => {
    if (asked.endsWith('/verify')) interrupted.abort();
  });
  const { lines, isWell } = await said(url, interrupted.signal);
  expect([isWell, lines.some((line) => /^ok .* nothing of it is left$/.test(line))]).toEqual([false, true]);
});

test('a service that answers nothing fails every step that is tried, and the command', async () => {
  const url = await breakBy(() => {});
  front?.on('connection', (socket) => socket.destroy());
  const { code, output } = await runToEnd('smoke.ts', ['--url', url], { API_TOKEN: 'x' });
  expect([code, output]).toEqual([1, expect.stringMatching(/^0 ok, \d+ failed, \d+ skipped$/m)]);
  expect(output).toContain('no answer: ');
});

test.each([
  ['nothing', [], /--url and --token are needed/],
  ['no token', ['--url', 'https://api.example.org'], /--url and --token are needed/],
  ['an unknown flag', ['--user', 'x'], /--user/],
  ['a path', ['--url', 'https://api.example.org/v1', '--token', 'x'], /not an origin/],
  ['another scheme', ['--url', 'ftp://api.example.org', '--token', 'x'], /not an origin/],
  [
    'a mail server that is none',
    ['--url', 'https://a.example', '--token', 'x', '--smtp', 'a:b'],
    /host:port/,
  ],
])('%s as arguments is refused', (_what, args, message) => {
  expect(() => readSmokeArguments(args, {})).toThrow(CommandError);
  expect(() => readSmokeArguments(args, {})).toThrow(message);
});

test('a slash behind the origin, port 25 and a token in the environment are understood', () => {
  const args = ['--url', 'https://api.example.org/', '--smtp', 'mx.example.org'];
  expect(readSmokeArguments(args, { API_TOKEN: 't' })).toEqual({
    url: 'https://api.example.org',
    token: 't',
    smtp: { host: 'mx.example.org', port: 25 },
  });
});
