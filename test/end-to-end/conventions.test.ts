/** HTTP conventions of v1: rate-limit headers, idempotency keys, entity tags and links. */
import { describe, expect, test } from '@jest/globals';
import type { CallOptions } from '../kit/api-client.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '500' });

const parked = (domain: string) => ({ domain, usageType: 'parked' });
const register = (domain: string, options: CallOptions = {}) =>
  api.call('POST', '/api/v1/domains', { json: parked(domain), ...options });

describe('rate limits', () => {
  test('are announced in every response, and count down', async () => {
    const remaining = [];
    for (const path of ['/api/v1/domains', '/api/v1/domains/unknown', '/api/v1/domains?page=0']) {
      const { headers } = await api.call('GET', path);
      expect(headers.get('ratelimit-policy')).toBe('"organization";q=500;w=60');
      const [, left] =
        /^"organization";r=(\d+);t=(?:[1-9]|[1-5]\d|60)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      remaining.push(Number(left));
    }
    const [first = 0] = remaining;
    expect(first).toBeLessThan(500);
    expect(remaining).toEqual([first, first - 1, first - 2]);
  });
});

describe('a request with an idempotency key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  test('has one effect and one response, with and without quotes', async () => {
    const first = await register('once.example', keyed('"key-1"'));
    expect(first.status).toBe(201);
    for (const key of ['"key-1"', 'key-1'])
      expect(await register('once.example', keyed(key))).toMatchObject({ status: 201, body: first.body });
    expect((await register('once.example', keyed('"key-2"'))).status).toBe(409);
  });

  test('creates one token, which every response contains', async () => {
    const send = () => api.call('POST', '/api/v1/tokens', { json: { name: 'ci' }, ...keyed('"token-1"') });
    const [first, second] = [await send(), await send()];
    expect(first.body.data.token).toMatch(/^svc_/);
    expect(second.body).toEqual(first.body);
    const { body } = await api.call('GET', '/api/v1/audit');
    const created = body.data.filter(({ action }: { action: string }) => action === 'createToken');
    expect(created.map(({ name }: { name: string }) => name)).toEqual(['ci', 'created by npm start']);
  });

  test('is refused if the key belongs to another request', async () => {
    await register('taken.example', keyed('"key-3"'));
    const { status, body } = await register('other.example', keyed('"key-3"'));
    expect([status, body.error.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('is refused while the same request is in progress', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => register('race.example', keyed('"key-4"'))),
    );
    const codes = answers.map(({ status, body }) => (status === 201 ? 201 : body.error.code));
    expect(codes).toContain(201);
    expect(codes.filter((code) => code !== 201 && code !== 'request_in_progress')).toEqual([]);
    expect(new Set(answers.flatMap(({ body }) => body.data?.id ?? []))).toHaveProperty('size', 1);
  });

  test('can be sent again after it failed', async () => {
    await register('again.example');
    expect((await register('again.example', keyed('"key-5"'))).status).toBe(409);
    const { body } = await api.call('GET', '/api/v1/domains?limit=100');
    const { id } = body.data.find(({ domain }: { domain: string }) => domain === 'again.example');
    await api.call('DELETE', `/api/v1/domains/${id}`);
    expect((await register('again.example', keyed('"key-5"'))).status).toBe(201);
  });

  test.each(['""', '"open', 'a b', `"${'x'.repeat(256)}"`])(
    'is refused with the malformed key %s',
    async (key) => {
      const { status, body } = await register('malformed.example', keyed(key));
      expect([status, body.error.details[0].path]).toEqual([400, 'headers.idempotency-key']);
    },
  );
});

describe('entity tags', () => {
  const withTag = (name: string, tag: string | null) => ({ headers: { [name]: tag ?? '' } });

  test('spare clients what they already have', async () => {
    const { headers } = await api.call('GET', '/api/v1/domains');
    const tag = headers.get('etag');
    expect(tag).toMatch(/^"[\w-]+"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await api.call('GET', '/api/v1/domains', withTag('if-none-match', tag));
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, undefined, tag]);
    await register('tagged.example');
    expect((await api.call('GET', '/api/v1/domains', withTag('if-none-match', tag))).status).toBe(200);
  });

  test('keep an update from overwriting a later one', async () => {
    const { id } = (await register('matched.example')).body.data;
    const path = `/api/v1/domains/${id}`;
    const patch = (tag: string | null) =>
      api.call('PATCH', path, { json: { usageType: 'sends-only' }, ...withTag('if-match', tag) });
    const tag = (await api.call('GET', path)).headers.get('etag');
    const first = await patch(tag);
    expect(first.status).toBe(200);
    const second = await patch(tag);
    expect([second.status, second.body.error.code]).toEqual([412, 'precondition_failed']);
    expect((await patch(first.headers.get('etag'))).status).toBe(200);
    expect((await patch('*')).status).toBe(200);
  });

  test('keep a domain from being deleted after it changed', async () => {
    const { id } = (await register('deleted.example')).body.data;
    const path = `/api/v1/domains/${id}`;
    const tag = (await api.call('GET', path)).headers.get('etag');
    const changed = await api.call('PATCH', path, { json: { tags: ['kept'] } });
    expect((await api.call('DELETE', path, withTag('if-match', tag))).status).toBe(412);
    expect((await api.call('DELETE', path, withTag('if-match', changed.headers.get('etag')))).status).toBe(
      200,
    );
    expect((await api.call('DELETE', path)).status).toBe(404);
  });

  test('keep what has no tag from being deleted on condition of one', async () => {
    const { id } = (await api.call('POST', '/api/v1/tokens', { json: { name: 'matched' } })).body.data;
    const path = `/api/v1/tokens/${id}`;
    const tag = (await api.call('GET', path)).headers.get('etag');
    const { status, body } = await api.call('DELETE', path, withTag('if-match', tag));
    expect([status, body.error.code, body.message]).toEqual([
      412,
      'precondition_failed',
      expect.stringContaining('no ETag'),
    ]);
    expect((await api.call('GET', path)).body.data).toMatchObject({ id, name: 'matched' });
    expect((await api.call('DELETE', path, withTag('if-match', '*'))).status).toBe(200);
    expect((await api.call('GET', path)).status).toBe(404);
  });

  const settings = {
    method: 'PUT',
    path: () => '/api/v1/notifications',
    change: (n: number) => ({ mail: { address: `ops${n}@example.org` }, webhook: null }),
  };
  const attestations = {
    method: 'PATCH',
    path: (id: string) => `/api/v1/domains/${id}/enforcement`,
    change: (n: number) => ({ attested: { volume: n % 2 === 1 } }),
  };

  test.each([
    ['notification settings', settings],
    ['attestations', attestations],
  ])('do the same for %s', async (name, { method, path, change }) => {
    const url = path((await register(`${name.replace(' ', '-')}.example`)).body.data.id);
    const set = (n: number, tag: string | null) =>
      api.call(method, url, { json: change(n), ...withTag('if-match', tag) });
    const tag = (await api.call('GET', url)).headers.get('etag');
    const first = await set(1, tag);
    expect(first.status).toBe(200);
    const second = await set(2, tag);
    expect([second.status, second.body.error.code]).toEqual([412, 'precondition_failed']);
    expect((await set(2, first.headers.get('etag'))).status).toBe(200);
    expect((await set(3, (await api.call('GET', url)).headers.get('etag'))).status).toBe(200);
    expect((await set(4, '*')).status).toBe(200);
  });
});

describe('every response', () => {
  const authorization = `Bearer ${'x'.repeat(20)}`;
  const requests: readonly (readonly [string, RequestInit])[] = [
    ['/api/v1/domains', {}],
    ['/api/v1/domains', { headers: { authorization } }],
    ['/api/v1/nothing', {}],
    ['/api/openapi.json', {}],
    ['/', {}],
    ['/api/v1/domains', { method: 'PUT' }],
  ];

  test('has an ID of its own, which is that of its error, and not one that the client sent', async () => {
    const ids: (string | null)[] = [];
    for (const [path, init] of [...requests, ...requests]) {
      const headers = { ...init.headers, 'x-request-id': 'mine' };
      const response = await fetch(service.url + path, { ...init, headers });
      const id = response.headers.get('x-request-id');
      ids.push(id);
      const text = await response.text();
      if (response.status >= 400) expect(JSON.parse(text).requestId).toBe(id);
    }
    expect(ids.every((id) => id !== null && id.length > 10 && id !== 'mine')).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('allows no other origin, not even for a preflight request', async () => {
    const origin = 'https://other.example';
    const preflight = { 'access-control-request-method': 'GET', origin };
    for (const [path] of requests)
      for (const init of [{ headers: { origin } }, { method: 'OPTIONS', headers: preflight }]) {
        const { headers } = await fetch(service.url + path, init);
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
  });

  test('says when it is deprecated: none is today', async () => {
    for (const [path, init] of requests) {
      const { headers } = await fetch(service.url + path, init);
      expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([null, null]);
    }
    expect(await (await fetch(`${service.url}/api/openapi.json`)).text()).not.toContain('"deprecated"');
  });
});

test('pages link to the pages around them', async () => {
  for (const name of ['p1', 'p2', 'p3']) await register(`${name}.example`);
  const linkOf = async (query: string) =>
    (await api.call('GET', `/api/v1/domains?${query}`)).headers.get('link');
  const at = (query: string) => `<${service.url}/api/v1/domains?${query}>`;
  expect(await linkOf('limit=1')).toBe(`${at('limit=1&page=2')}; rel="next"`);
  expect(await linkOf('page=2&limit=1')).toBe(
    `${at('page=1&limit=1')}; rel="first", ${at('page=1&limit=1')}; rel="prev", ${at('page=3&limit=1')}; rel="next"`,
  );
  expect(await linkOf('limit=100')).toBeNull();
});

describe('what is created', () => {
  test('has its path in the header Location', async () => {
    const domain = await register('located.example');
    expect(domain.headers.get('location')).toBe(`/api/v1/domains/${domain.body.data.id}`);
    const token = await api.call('POST', '/api/v1/tokens', { json: { name: 'located' } });
    const { data } = (await api.call('GET', token.headers.get('location') ?? '')).body;
    expect(data).toMatchObject({ id: token.body.data.id, name: 'located' });
    await api.call('PUT', '/api/v1/notifications', {
      json: { mail: { address: 'ops@example.org' }, webhook: null },
    });
    const sent = await api.call('POST', '/api/v1/notifications/test', { json: {} });
    const deliveries = (await api.call('GET', sent.headers.get('location') ?? '')).body.data;
    const ids = (listed: readonly { id: string }[]) => listed.map(({ id }) => id);
    expect(ids(deliveries)).toEqual(ids(sent.body.data));
    const again = await api.call('POST', `/api/v1/deliveries/${deliveries[0].id}/redeliver`);
    const delivery = (await api.call('GET', again.headers.get('location') ?? '')).body.data;
    expect(delivery).toMatchObject(again.body.data);
    const session = await api.call('POST', '/api/inbound-tester/sessions');
    expect((await api.call('GET', session.headers.get('location') ?? '')).body.testId).toBe(
      session.body.testId,
    );
  });
});
