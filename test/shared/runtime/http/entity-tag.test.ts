import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { endpoint } from '../../../../shared/runtime/http/endpoint.ts';
import { entityTag, isCurrent, isKnown } from '../../../../shared/runtime/http/entity-tag.ts';
import { reply } from '../../../../shared/runtime/http/reply.ts';
import type { Route } from '../../../../shared/runtime/http/route.ts';
import { gatewayEvent, invocation, plainRoute } from '../../../kit/http.ts';

process.env.LOG_LEVEL = 'silent';

const tag = entityTag('a body');

describe('an entity tag', () => {
  test('is equal only for equal bodies', () => {
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect([entityTag('a body'), entityTag('another')]).toEqual([tag, expect.not.stringContaining(tag)]);
  });

  test.each([
    ['the tag', tag, true],
    ['the tag, changed to a weak tag on the way', `W/${tag}`, true],
    ['the tag among others', `"x", W/"y",${tag} , "z"`, true],
    ['an asterisk', '*', true],
    ['another tag', '"x"', false],
    ['the tag without its quotes', tag.slice(1, -1), false],
    ['an empty value', '', false],
    ['no header', undefined, false],
  ])('matches If-None-Match with %s: %p %p', (_what, header, known) => {
    expect(isKnown(tag, header)).toBe(known);
  });

  const versioned = entityTag('a body', 'v1');

  test.each([
    ['a tag of the version', versioned, true],
    ['a tag of the version, of another presentation', entityTag('another', 'v1'), true],
    ['a tag of the version among others', `"x", ${versioned}`, true],
    ['an asterisk', '*', true],
    ['no header', undefined, true],
    ['a tag of another version', entityTag('a body', 'v2'), false],
    ['a weak tag', `W/${versioned}`, false],
    ['a tag without a version', tag, false],
    ['an empty value', '', false],
  ])('fulfills If-Match with %s: %p %p', (_what, header, current) => {
    expect(isCurrent('v1', header)).toBe(current);
  });
});

describe('a cacheable response', () => {
  const route = {
    ...plainRoute,
    success: {
      ...{ status: 200, description: '', envelope: 'bare', schema: z.string() },
      ...{ contentType: 'image/svg+xml', freshSeconds: 60 },
    },
  } as const satisfies Route;
  const request = (headers: Record<string, string>) =>
    endpoint(
      route,
      () => ({}),
      async () => reply('<svg/>', { 'x-own': 'kept' }),
    )(gatewayEvent({ headers }), invocation);
  const validators = {
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    etag: entityTag('<svg/>'),
    'cache-control': 'public, max-age=60',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'r1',
  };

  test('has its max-age and its entity tag', async () => {
    const { statusCode, headers, body } = await request({});
    expect([statusCode, body]).toEqual([200, '<svg/>']);
    expect(headers).toEqual({ 'content-type': 'image/svg+xml', 'x-own': 'kept', ...validators });
  });

  test('is not sent again to clients that have it', async () => {
    const { statusCode, headers, body } = await request({ 'if-none-match': validators.etag });
    expect([statusCode, body]).toEqual([304, '']);
    expect(headers).toEqual({ 'x-own': 'kept', ...validators });
    expect((await request({ 'if-none-match': '"other"' })).statusCode).toBe(200);
  });
});
