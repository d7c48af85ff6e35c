/** The operator's smoke test against a healthy service, and against the same service behind a faulty gateway. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { readSmokeArguments, smoke } from '../../lib/admin/smoke/smoke.ts';
import { CommandError } from '../../lib/terminal/command-line.ts';
import { runToEnd } from '../kit/service.ts';
import { useApi } from '../kit/use-service.ts';

let front: Server | undefined;

const { service, api } = await useApi({ TOOL_RATE_PER_MINUTE: '0' });
afterEach(async () => {
  front?.close();
  front = undefined;
  expect((await api.call('GET', '/api/v1/domains')).body.data).toEqual([]);
});

interface Passed {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Puts a gateway in front of the service that applies `harm` to each response. Returns its origin. */
async function breakBy(harm: (request: string, answer: Passed) => void): Promise<string> {
  front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization, 'content-type': type } = request.headers;
    const conditions = ['idempotency-key', 'if-match', 'if-none-match'].flatMap((name) =>
      request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
    );
    const passed = await fetch(`${service.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: {
        ...(authorization && { authorization }),
        ...(type && { 'content-type': type }),
        ...Object.fromEntries(conditions),
      },
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

/** Returns the output of the smoke test for the service at `url`. */
async function runSmoke(url: string, signal?: AbortSignal): Promise<{ lines: string[]; isHealthy: boolean }> {
  const lines: string[] = [];
  const options = { url, token: service.token, smtp: undefined };
  const isHealthy = await smoke(options, (line) => lines.push(line), signal);
  return { lines, isHealthy };
}

test('the smoke test passes every step for a healthy service, including a message to it', async () => {
  const args = ['--url', service.url, '--token', service.token, '--smtp', `127.0.0.1:${service.smtpPort}`];
  const { code, output } = await runToEnd('smoke.ts', args, {});
  const lines = output.trim().split('\n');
  expect(lines.filter((line) => !/^ok {2,}\d+ ms {2}\S/.test(line))).toEqual(['50 ok, 0 failed, 0 skipped']);
  expect(code).toBe(0);
});

const notFound = (message: string) =>
  JSON.stringify({ error: { code: 'not_found', message }, message, requestId: 'r' });

test('the smoke test passes where the domain checker is turned off', async () => {
  const url = await breakBy((request, answer) => {
    if (request !== 'POST /api/domain-checker') return;
    Object.assign(answer, { status: 404, body: notFound('The domain checker is turned off.') });
  });
  const { lines, isHealthy } = await runSmoke(url);
  expect([isHealthy, lines.filter((line) => line.startsWith('FAILED'))]).toEqual([true, []]);
});

describe('the smoke test fails and leaves nothing behind for', () => {
  test.each<[string, RegExp, Partial<Passed>, RegExp]>([
    [
      'an error of the gateway instead of the service',
      /GET \/api\/v1\/nothing/,
      { body: '{"message":"Not Found"}' },
      /^FAILED .* an unknown path returns 404 with an error body: error does not match the schema: \{"message"/,
    ],
    [
      'a 405 without the allowed methods',
      /PUT/,
      { headers: {} },
      /^FAILED .* an unknown method returns 405.*: Allow is null$/,
    ],
    [
      'no OpenAPI document',
      /openapi\.json/,
      { status: 503, body: 'Service Unavailable' },
      /^FAILED .* the OpenAPI document is available: status 503 instead of 200: Service Unavailable$/,
    ],
    [
      'no score',
      /\/score$/,
      { status: 500, body: '{"message":"\u001b[2J"}' },
      /^FAILED .* it has no score until it exists: status 500 instead of 200: \{"message":"\\x1b\[2J"\}$/,
    ],
    [
      'an unreadable response to the registration',
      /POST \/api\/v1\/domains$/,
      { body: '<html>' },
      /^FAILED .* a domain can be registered \(.*\): not JSON: <html>$/,
    ],
    [
      'an unconfirmed removal',
      /DELETE \/api\/v1\/domains\/[^/]+$/,
      { body: '{"data":{}}' },
      /^FAILED .* it can be removed: data\.deleted does not match the schema/,
    ],
    [
      'a domain checker whose route is missing',
      /POST \/api\/domain-checker$/,
      { status: 404, body: notFound('The path does not exist.') },
      /^FAILED .* the domain checker .*: it is not found: The path does not exist\.$/,
    ],
    [
      'a page without a content security policy',
      /GET \/$/,
      { headers: { 'content-type': 'text/html' } },
      /^FAILED .* the home page .*: Content-Security-Policy is ""$/,
    ],
  ])('%s', async (_what, request, harm, line) => {
    const url = await breakBy((requestLine, answer) => {
      if (request.test(requestLine)) Object.assign(answer, harm);
    });
    const { lines, isHealthy } = await runSmoke(url);
    expect(isHealthy).toBe(false);
    expect(lines.filter((it) => it.startsWith('FAILED'))).toEqual([expect.stringMatching(line)]);
    expect(lines.at(-1)).toMatch(/^\d+ ok, 1 failed, \d+ skipped$/);
  });
});

test('the smoke test skips steps that depend on a failed one, and removes what it created', async () => {
  const url = await breakBy((requestLine, answer) => {
    if (requestLine.endsWith('/checks')) answer.status = 503;
  });
  const { lines } = await runSmoke(url);
  const at = lines.findIndex((line) => line.startsWith('FAILED'));
  expect(lines.slice(at + 1, at + 13).map((line) => line.replace(/^(\w+) .* {2}/, '$1 '))).toEqual([
    'skipped it has no score until it exists',
    'skipped no change is recommended until it exists',
    'skipped a preview of a DMARC record resolves its finding',
    'skipped a simulation of p=reject has no messages',
    'skipped its first step to enforcement is a record',
    'skipped no mail has come in for it',
    'skipped a mail that does not exist can be neither downloaded nor read again',
    'skipped no failing report is found',
    'skipped a report that does not exist cannot be deleted',
    'skipped it can be removed',
    'skipped it no longer exists',
    'ok the domain is cleaned up',
  ]);
});

test('the smoke test removes what it created if it is interrupted', async () => {
  const interrupted = new AbortController();
  const url = await breakBy((requestLine) => {
    if (requestLine.endsWith('/verify')) interrupted.abort();
  });
  const { lines, isHealthy } = await runSmoke(url, interrupted.signal);
  expect([isHealthy, lines.some((line) => /^ok .* the domain is cleaned up$/.test(line))]).toEqual([
    false,
    true,
  ]);
});

test('the smoke test fails every attempted step if the service does not respond', async () => {
  const url = await breakBy(() => {});
  front?.on('connection', (socket) => socket.destroy());
  const { code, output } = await runToEnd('smoke.ts', ['--url', url], { API_TOKEN: 'x' });
  expect([code, output]).toEqual([1, expect.stringMatching(/^0 ok, \d+ failed, \d+ skipped$/m)]);
  expect(output).toContain('request failed: ');
});

test.each([
  ['no arguments', [], /--url and --token are required/],
  ['no token', ['--url', 'https://api.example.org'], /--url and --token are required/],
  ['an unknown flag', ['--user', 'x'], /--user/],
  ['a path', ['--url', 'https://api.example.org/v1', '--token', 'x'], /must be an origin/],
  ['another scheme', ['--url', 'ftp://api.example.org', '--token', 'x'], /must be an origin/],
  ['an invalid mail server', ['--url', 'https://a.example', '--token', 'x', '--smtp', 'a:b'], /host:port/],
])('the smoke test rejects %s', (_what, args, message) => {
  expect(() => readSmokeArguments(args, {})).toThrow(CommandError);
  expect(() => readSmokeArguments(args, {})).toThrow(message);
});

test('the smoke test rejects a malformed token without repeating it', async () => {
  const { code, output } = await runToEnd('smoke.ts', ['--url', 'http://127.0.0.1:9'], {
    API_TOKEN: 'not-for-terminals\nand-more',
  });
  expect([code, output.trim().split('\n').at(-1)]).toEqual([
    1,
    'error: the token is not one of this service',
  ]);
  expect(output).not.toContain('not-for-terminals');
});

test('a slash behind the origin, port 25 and a token in the environment are understood', () => {
  const args = ['--url', 'https://api.example.org/', '--smtp', 'mx.example.org'];
  expect(readSmokeArguments(args, { API_TOKEN: 't' })).toEqual({
    url: 'https://api.example.org',
    token: 't',
    smtp: { host: 'mx.example.org', port: 25 },
  });
});
