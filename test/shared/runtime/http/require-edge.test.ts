/** A deployment with a firewall: its functions answer only what passed it, and see the address of the client. */
import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import { reply } from '../../../../shared/runtime/http/reply.ts';
import type { Route } from '../../../../shared/runtime/http/route.ts';
import { gatewayEvent, invocation, plainRoute } from '../../../kit/http.ts';

Object.assign(process.env, {
  LOG_LEVEL: 'silent',
  ORIGIN_SECRET: 's3cret',
  HOST_URL: 'https://monitor.acme.org',
});

const route = {
  ...plainRoute,
  success: { status: 200, description: '', envelope: 'bare', schema: z.unknown() },
  errors: ['forbidden'],
} as const satisfies Route;

const handler = endpoint(
  route,
  () => ({}),
  async ({ clientAddress }) => reply(clientAddress),
);

async function call(headers: Record<string, string>) {
  const event = gatewayEvent({ headers }, { method: 'GET', sourceIp: '203.0.113.9' });
  const { statusCode, body } = await handler(event, invocation);
  return [statusCode, JSON.parse(String(body))];
}

const viewer = { 'x-viewer-address': '198.51.100.7' };

test('takes the address of the client from CloudFront', async () => {
  expect(await call({ 'x-origin-secret': 's3cret', ...viewer })).toEqual([200, '198.51.100.7']);
  expect(await call({ 'x-origin-secret': 's3cret' })).toEqual([200, '203.0.113.9']);
});

test.each<Record<string, string>>([
  {},
  viewer,
  { 'x-origin-secret': '' },
  { ...viewer, 'x-origin-secret': 's3cre' },
])('rejects the headers %j, which CloudFront does not send', async (headers) => {
  expect(await call(headers)).toMatchObject([
    403,
    { error: { code: 'forbidden', message: 'Send requests to https://monitor.acme.org.' } },
  ]);
});
