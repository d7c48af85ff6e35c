import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../../../shared/runtime/http/errors.ts';
import { reply } from '../../../../shared/runtime/http/reply.ts';
import type { Route } from '../../../../shared/runtime/http/route.ts';
import { gatewayEvent, invocation, plainRoute } from '../../../kit/http.ts';

process.env.LOG_LEVEL = 'silent';

const route = {
  ...plainRoute,
  method: 'POST',
  path: '/echo/{id}',
  request: {
    path: z.object({ id: z.uuid('There is no such echo.') }),
    query: z.object({ limit: z.optional(z.string().check(z.regex(/^\d+$/, 'must be a number'))) }),
    body: z.object({ name: z.string('must be a string') }, 'must be an object'),
  },
  success: { status: 201, description: '', envelope: 'data', schema: z.unknown() },
} as const satisfies Route;

const id = '0190a1b2-0000-7000-8000-000000000000';

const json = { 'content-type': 'application/json' };
const event = (given: object = {}, http: object = {}) =>
  gatewayEvent({ pathParameters: { id }, headers: json, body: '{"name":"x"}', ...given }, http);

async function call(
  handle: Parameters<typeof endpoint<typeof route, object>>[2],
  overrides = {},
  own: Route = route,
) {
  const answer = await endpoint(own as typeof route, () => ({}), handle)(event(overrides), invocation);
  return { ...answer, body: JSON.parse(answer.body ?? 'null') };
}

const echo: Parameters<typeof call>[0] = async ({ path, query, body }) => reply({ path, query, body });

test('field names of Object.prototype are read as data', async () => {
  const handler = endpoint({ ...route, path: '/page/{id}' }, () => ({}), echo as never);
  const answer = await handler(event({ rawQueryString: '__proto__=1&constructor=2' }), invocation);
  expect(answer.statusCode).toBe(201);
});

describe('HEAD', () => {
  const callHead = (handle: typeof echo, headers = {}) =>
    endpoint(
      route,
      () => ({}),
      handle,
    )(event({ headers: { ...json, ...headers } }, { method: 'HEAD' }), invocation);

  test('gets the response to GET without the content', async () => {
    expect(await callHead(echo)).toMatchObject({
      statusCode: 201,
      headers: { 'content-type': 'application/json' },
      body: '',
    });
    const large = await callHead(async () => reply('x'.repeat(100_000)), { 'accept-encoding': 'gzip' });
    expect(large).toMatchObject({
      headers: { 'content-encoding': 'gzip' },
      body: '',
      isBase64Encoded: false,
    });
  });

  test('gets the error of GET without the text', async () => {
    const refused = await callHead(async () => {
      throw new ServiceError('not_found');
    });
    expect(refused).toMatchObject({ statusCode: 404, headers: { 'cache-control': 'no-store' }, body: '' });
  });
});

test('a response that is too large is refused, also where only gzip does not make it small enough', async () => {
  // In base64, as text is, and as what is compressed becomes.
  const text = createHash('shake256', { outputLength: 5_000_000 }).digest('base64');
  const patient = { getRemainingTimeInMillis: () => 60_000 } as Context;
  const handler = endpoint(
    route,
    () => ({}),
    async () => reply(text),
  );
  for (const gzip of [{}, { 'accept-encoding': 'gzip' }]) {
    const { body = '' } = await handler(event({ headers: { ...json, ...gzip } }), patient);
    expect(JSON.parse(body).error.code).toBe('payload_too_large');
  }
});

test('dependencies are created once, at the first request', async () => {
  let made = 0;
  const handler = endpoint(
    route,
    () => {
      made += 1;
      return {};
    },
    async () => reply(null),
  );
  expect(made).toBe(0);
  await handler(event(), invocation);
  await handler(event(), invocation);
  expect(made).toBe(1);
});
