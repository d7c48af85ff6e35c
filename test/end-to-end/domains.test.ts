import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi();

const register = (json: object) => api.call('POST', '/api/v1/domains', { json });
const parked = (domain: string) => ({ domain, usageType: 'parked' });

describe('POST /domains', () => {
  test('returns 201 with the domain, its token and its report addresses', async () => {
    const { status, body } = await register({ domain: 'Created.Example', testEmailLocalPart: 'test' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      domain: 'created.example',
      verified: false,
      verificationToken: expect.any(String),
      usageType: 'sends-and-receives',
      testEmailLocalPart: 'test',
      tags: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      reporting: {
        ruaAddress: expect.stringMatching(/^mailto:[0-9a-f]+@reports\.[a-z.]+$/),
        rufAddress: expect.stringMatching(/^mailto:/),
        tlsRptAddress: expect.stringMatching(/^mailto:/),
      },
    });
  });

  test('rejects the domains at which the service itself receives mail, and their subdomains', async () => {
    const { body: created } = await register(parked('reported.example'));
    const { body: test } = await api.call('POST', '/api/inbound-tester/sessions', { token: null });
    for (const address of [created.data.reporting.ruaAddress, test.email]) {
      const domain = address.split('@')[1];
      for (const name of [domain, `below.${domain.toUpperCase()}`]) {
        const { status, body } = await register(parked(name));
        expect([status, body.message]).toEqual([
          400,
          'body.domain: must not be a domain whose mail this service itself receives',
        ]);
      }
    }
  });

  test('requires a test mailbox for a domain that receives mail', async () => {
    const { status, body } = await register({ domain: 'x.example' });
    expect([status, body.error.details[0].path]).toEqual([400, 'body.testEmailLocalPart']);
  });

  test('returns 409 for a registered name, whatever its spelling', async () => {
    await register(parked('twice.example'));
    const { status, body } = await register(parked('TWICE.example.'));
    expect([status, body.error.code]).toEqual([409, 'domain_exists']);
  });
});

describe('a domain', () => {
  test('is returned with its token and, before the first check run, without results', async () => {
    const { body: created } = await register(parked('read.example'));
    const { status, body } = await api.call('GET', `/api/v1/domains/${created.data.id}`);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...created.data,
      dkimSelectors: [],
      lastCheckedAt: null,
      badgeUrl: null,
      updatedAt: created.data.createdAt,
      ownership: null,
      checks: null,
    });
  });

  test('has the DKIM selectors that its owner named, each once, until another list replaces them', async () => {
    const { body: created } = await register(parked('selectors.example'));
    const path = `/api/v1/domains/${created.data.id}`;
    const patch = async (json: object) => (await api.call('PATCH', path, { json })).body.data.dkimSelectors;
    expect(await patch({ dkimSelectors: ['Mail.2026', 's_1', 'mail.2026'] })).toEqual(['mail.2026', 's_1']);
    expect(await patch({ usageType: 'sends-only' })).toEqual(['mail.2026', 's_1']);
    expect((await api.call('GET', path)).body.data.dkimSelectors).toEqual(['mail.2026', 's_1']);
    expect(await patch({ dkimSelectors: [] })).toEqual([]);
  });

  test('rejects DKIM selectors whose names are too long with that of the domain', async () => {
    const { body: created } = await register(parked('long-selectors.example'));
    const json = { dkimSelectors: ['s1', Array(4).fill('a'.repeat(60)).join('.')] };
    const { status, body } = await api.call('PATCH', `/api/v1/domains/${created.data.id}`, { json });
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining('body.dkimSelectors.1: is too long for this domain'),
    ]);
  });

  test('can change its usage type and its test mailbox', async () => {
    const { body: created } = await register({ domain: 'change.example', testEmailLocalPart: 'one' });
    const patch = (json: object) => api.call('PATCH', `/api/v1/domains/${created.data.id}`, { json });
    // Times are in milliseconds.
    await setTimeout(2);
    const changed = await patch({ testEmailLocalPart: 'two' });
    expect(changed.body.data).toMatchObject({ testEmailLocalPart: 'two', usageType: 'sends-and-receives' });
    expect(Date.parse(changed.body.data.updatedAt)).toBeGreaterThan(Date.parse(created.data.createdAt));
    expect((await patch({ usageType: 'sends-only' })).body.data.testEmailLocalPart).toBeNull();
    const back = await patch({ usageType: 'receives-only' });
    expect([back.status, back.body.error.details[0].path]).toEqual([400, 'body.testEmailLocalPart']);
    const named = await patch({ usageType: 'receives-only', testEmailLocalPart: 'three' });
    expect([named.status, named.body.data.testEmailLocalPart]).toEqual([200, 'three']);
  });

  test.each(['sends-only', 'parked'])(
    'with usage type %s has no test mailbox, and one that is given is ignored',
    async (usageType) => {
      const { body: created } = await register({ domain: `${usageType}-mailbox.example`, usageType });
      const path = `/api/v1/domains/${created.data.id}`;
      const patch = (json: object) => api.call('PATCH', path, { json });
      const { body: given } = await register({
        ...{ domain: `${usageType}-given.example`, usageType, testEmailLocalPart: 'zz' },
      });
      expect(given.data.testEmailLocalPart).toBeNull();
      const ignored = await patch({ testEmailLocalPart: 'zz' });
      expect([ignored.status, ignored.body.data.testEmailLocalPart]).toEqual([200, null]);
      expect((await patch({ testEmailLocalPart: null })).status).toBe(200);
      const { status, body } = await patch({ usageType, testEmailLocalPart: 'zz' });
      expect([status, body.data.testEmailLocalPart]).toEqual([200, null]);
    },
  );

  test('is not found after its removal, and its name is free again', async () => {
    const { body: created } = await register(parked('gone.example'));
    const path = `/api/v1/domains/${created.data.id}`;
    const removed = await api.call('DELETE', path);
    expect([removed.status, removed.body]).toEqual([200, { data: { deleted: true } }]);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/verify'],
      ['POST', '/verify'],
      ['POST', '/checks'],
      ['GET', '/score'],
    ] as const) {
      expect((await api.call(method, path + rest)).status).toBe(404);
    }
    expect((await register(parked('gone.example'))).status).toBe(201);
  });

  test('is not reached by a path that matches only after decoding', async () => {
    const { body: created } = await register(parked('escaped.example'));
    const path = `/api/v1/domains/${created.data.id}`;
    for (const [method, escaped] of [
      ['DELETE', `${path}%3Fzz/verify`],
      ['DELETE', `${path}%3F`],
      ['POST', '/api/v1/domains/%3Fx/checks'],
      ['POST', '/api/v1/domains%3Fx'],
      ['POST', `${path}%2Fchecks`],
    ] as const) {
      const json = { domain: 'by-escape.example', usageType: 'parked' };
      const { status, body } = await api.call(method, escaped, method === 'POST' ? { json } : {});
      expect([escaped, status, body.error.code]).toEqual([escaped, 404, 'not_found']);
    }
    expect((await api.call('GET', path)).status).toBe(200);
    expect((await register(parked('by-escape.example'))).status).toBe(201);
  });

  test.each(['unknown', '0190a1b2-0000-7000-8000-000000000000', '%00', 'a'.repeat(500)])(
    'with ID %s is not found',
    async (id) => {
      const { status, body } = await api.call('GET', `/api/v1/domains/${id}`);
      expect([status, body.error.code, body.message]).toEqual([
        404,
        'not_found',
        'The domain does not exist.',
      ]);
    },
  );

  test('accepts an upper-case ID (RFC 9562 section 4)', async () => {
    const { body: created } = await register(parked('capitals.example'));
    const id = created.data.id.toUpperCase();
    expect((await api.call('GET', `/api/v1/domains/${id}`)).body.data.id).toBe(created.data.id);
    expect((await api.call('GET', `/api/v1/alerts?domainId=${id}`)).status).toBe(200);
  });

  test('has no score before its first check run, and a message explains how to get one', async () => {
    const { body: created } = await register(parked('unchecked.example'));
    const { body } = await api.call('GET', `/api/v1/domains/${created.data.id}/score`);
    expect(body.data).toMatchObject({ score: null, grade: null, label: 'Not checked', lastCheckedAt: null });
    expect(body.data.message).toContain(`/domains/${created.data.id}/checks`);
  });
});

describe('authentication', () => {
  test.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['an unknown token', { authorization: `Bearer svc_${'x'.repeat(43)}` }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['two tokens', { authorization: 'Bearer a b' }],
  ])('rejects %s with 401 in the error format', async (_what, headers) => {
    const { status, body, headers: got } = await api.call('GET', '/api/v1/domains', { token: null, headers });
    expect([status, body.error.code, got.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer']);
  });

  test('is checked before anything else', async () => {
    const answer = await api.call('POST', '/api/v1/domains', { token: null, raw: 'not json' });
    expect(answer.status).toBe(401);
  });

  test('accepts the scheme in any case', async () => {
    const headers = { authorization: `bearer ${service.token}` };
    expect((await api.call('GET', '/api/v1/domains', { token: null, headers })).status).toBe(200);
  });
});

describe('a request without a route', () => {
  test.each([
    '/api',
    '/api/v1',
    '/api/v1/nothing',
    '/api/v1/domains/x/y/z',
    '/api/v1/domains/..%2f..',
    '/api/v1/domains/constructor',
    '/favicon.ico',
  ])('for %s is not found, in the error format', async (path) => {
    const { status, body } = await api.call('GET', path);
    expect([status, body.error.code, typeof body.requestId]).toEqual([404, 'not_found', 'string']);
  });

  test.each([
    ['PUT', '/api/v1/domains', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/domains', 'GET, HEAD, POST'],
    ['POST', '/api/openapi.json', 'GET, HEAD'],
    ['GET', '/api/v1/domains/x/checks', 'POST'],
    ['GET', '/api/v1/domains/batch', 'POST'],
    ['PUT', '/api/v1/domains/batch', 'POST'],
    ['DELETE', '/api/v1/domains/x/reports/dmarc/sources', 'GET, HEAD'],
    ['POST', '/api/v1/domains/x/reports/dmarc/timeline.csv', 'GET, HEAD'],
  ])('%s %s is rejected with the allowed methods of the path', async (method, path, allow) => {
    const { status, body, headers } = await api.call(method, path);
    expect([status, body.error.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow]);
  });

  test.each([
    ['/api/openapi.json', 200],
    ['/', 200],
    ['/api/v1/domains', 200],
    ['/api/v1/domains/unknown', 404],
    ['/api/v1/nothing', 404],
    ['/api/v1/domains/unknown/checks', 405],
  ])('HEAD %s returns the headers of GET without the content', async (path, expected) => {
    const headers = { authorization: `Bearer ${service.token}` };
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => fetch(service.url + path, { method, headers })),
    );
    expect([head?.status, get?.status, await head?.text()]).toEqual([expected, expected, '']);
    for (const name of ['content-type', 'cache-control', 'allow'])
      expect(head?.headers.get(name)).toBe(get?.headers.get(name));
  });

  test('may have a trailing slash, as with API Gateway', async () => {
    expect(
      (
        await fetch(`${service.url}/api/v1/domains/`, {
          headers: { authorization: `Bearer ${service.token}` },
        })
      ).status,
    ).toBe(200);
  });

  test('with an invalid percent escape is rejected', async () => {
    expect((await api.call('GET', '/api/%zz')).status).toBe(400);
  });
});

describe('a body', () => {
  const post = (
    raw: string | Uint8Array,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => api.call('POST', '/api/v1/domains', { raw, headers });

  test.each([
    ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe, 0x00])],
    ['deeply nested JSON', `${'['.repeat(100_000)}`],
  ])('of %s is rejected with 400', async (_what, raw) => {
    const { status, body } = await post(raw);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
  });

  test.each([7, 10])('larger than %d MB is rejected with 413', async (megabytes) => {
    const { status, body } = await post(`"${'x'.repeat(megabytes * 1024 * 1024)}"`);
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
  });

  test('is rejected with 413 if it exceeds the Lambda limit only after encoding', async () => {
    // API Gateway passes binary data to Lambda in base64.
    const binary = { 'content-type': 'application/octet-stream' };
    const { status, body } = await post(new Uint8Array(5 * 1024 * 1024), binary);
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
  });
});
