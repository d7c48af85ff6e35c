/** Routes for people: form requests and page responses. */
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { pages } from '../../../../shared/pages/presentation.ts';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import { rateLimited } from '../../../../shared/runtime/http/errors.ts';
import { reply } from '../../../../shared/runtime/http/reply.ts';
import type { Route } from '../../../../shared/runtime/http/route.ts';
import { gatewayEvent, invocation, plainRoute } from '../../../kit/http.ts';

process.env.LOG_LEVEL = 'silent';

const route = {
  ...plainRoute,
  method: 'POST',
  request: { form: z.object({ name: z.string('is required') }) },
  success: { status: 303, description: '', envelope: 'html', schema: z.string() },
} as const satisfies Route;

const formType = { 'content-type': 'application/x-www-form-urlencoded' };

function send(body: string, given: object = {}, http: object = {}) {
  const handler = endpoint(
    route,
    () => ({}),
    async ({ form }) => {
      if (form.name === 'broken') throw new Error('secret detail');
      if (form.name === 'busy') throw rateLimited(34_000);
      if (form.name === 'wrong') return { ...reply('<p>wrong'), status: 400 as const };
      return reply(`<p>${form.name}`, { location: '/next' });
    },
    pages,
  );
  // The gateway encodes forms like this.
  const encoded = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  return handler(gatewayEvent({ ...encoded, headers: formType, ...given }, http), invocation);
}

test('a form reaches the handler as fields, and the page has the page headers', async () => {
  const answer = await send('name=a+b%C3%BC');
  expect([answer.statusCode, answer.body]).toEqual([303, '<p>a bü']);
  expect(answer.headers).toMatchObject({
    location: '/next',
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
});

test('a page may have a status other than that of its route', async () => {
  expect((await send('name=wrong')).statusCode).toBe(400);
});

test.each([
  ['http://h.example/start?x=1&y', 'href="/start?x=1&amp;y">Back to the page'],
  ['http://other.example/start', undefined],
  ['http://h.example//other.example/', undefined],
  ['nothing', undefined],
])('a form that came too often leads back to %s, if that is here', async (referer, link) => {
  const headers = { ...formType, host: 'h.example', referer };
  const answer = await send('name=busy', { headers }, { method: 'POST' });
  expect(answer.body).toContain('<strong>34 seconds</strong>');
  expect(/href="[^"]*">Back to the page/.exec(answer.body ?? '')?.[0]).toBe(link);
});

describe('an error is shown as a page', () => {
  test.each([
    [
      'a request without a form',
      '',
      { body: undefined, isBase64Encoded: false },
      400,
      '<p class="lead">name: ',
    ],
    [
      'a form of another site',
      'name=1',
      { headers: { ...formType, 'sec-fetch-site': 'cross-site' } },
      400,
      'another site',
    ],
    ['an unexpected error', 'name=broken', {}, 500, 'An internal error occurred'],
  ])('for %s', async (_what, body, overrides, status, expectedText) => {
    const answer = await send(body, overrides);
    expect([answer.statusCode, answer.headers?.['content-type']]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    expect(answer.body).toContain(expectedText);
    expect(answer.body).not.toContain('secret');
  });
});
