import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type Bind, missingForBind, startBind } from '../kit/bind.ts';
import { describeWith } from '../kit/describe-with.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { spfZone } from '../kit/spf-zones.ts';
import { useService } from '../kit/use-service.ts';

const check = (api: ApiClient, json: unknown) => api.call('POST', '/api/spf-checker', { json, token: null });

describeWith(missingForBind(), 'the SPF checker against BIND', () => {
  let bind: Bind;
  let service: BootedService;
  let api: ApiClient;

  beforeAll(async () => {
    bind = await startBind(['example.org']);
    await bind.publish('example.org', spfZone);
    service = await bootService({ DNS_SERVERS: bind.server, TOOL_RATE_PER_MINUTE: '0' });
    api = await apiClient(service);
  });
  afterAll(async () => {
    await service?.remove();
    await bind?.stop();
  });

  const page = (path: string, init?: RequestInit) =>
    fetch(`${service.url}${path}`, { redirect: 'manual', ...init });
  const submit = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    page('/s/spf', { method: 'POST', body: new URLSearchParams(fields), headers });

  describe('POST /api/spf-checker', () => {
    test('needs no token, and returns the bare result with every field', async () => {
      const { status, body } = await check(api, { domain: 'EXAMPLE.org.' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        domain: 'example.org',
        status: 'valid',
        valid: true,
        version: 'spf1',
        allPolicy: '-all',
        totalLookupCount: 4,
        lookupLimit: 10,
        recordLength: 98,
        flattenedIps: [
          '192.0.2.0/24',
          '198.51.100.7',
          '198.51.100.64/26',
          '203.0.113.0/25',
          '203.0.113.128/25',
          '2001:db8::/32',
        ],
        flattened: { merged: expect.arrayContaining(['203.0.113.0/24']) },
        detectedProviders: [],
        errors: [],
        unknown: [],
        shareId: null,
        shareUrl: null,
      });
      expect(body.record).toMatch(/^v=spf1 ip4:192\.0\.2\.0\/24 .* -all$/);
      expect(body.mechanisms.map(({ kind }: { kind: string }) => kind)).toEqual(
        expect.arrayContaining(['ip4', 'a', 'include', 'all']),
      );
      expect(body.includeTree[0]).toMatchObject({
        domain: '_spf.example.org',
        children: [{ domain: 'deep.example.org' }],
      });
      expect(body.lookupBreakdown.at(-1).runningTotal).toBe(4);
      expect(Math.abs(Date.now() - Date.parse(body.checkedAt))).toBeLessThan(60_000);
    });

    test.each([
      ['no-record', 'none.example.org', { record: null, version: null, allPolicy: null }],
      ['no-record', 'missing.example.org', { record: null }],
      ['invalid', 'broken.example.org', { valid: false }],
      ['invalid', 'twice.example.org', { valid: false }],
      ['invalid', 'many.example.org', { totalLookupCount: 12 }],
      // BIND refuses names for which it has no zone, so the lookup fails.
      ['unknown', 'elsewhere.example', { record: null, errors: [], unknown: ['elsewhere.example TXT'] }],
      ['unknown', 'partly.example.org', { record: expect.any(String), errors: [] }],
    ])('returns %s for %s', async (expected, domain, fields) => {
      const { status, body } = await check(api, { domain });
      expect([status, body.status, body.valid]).toEqual([200, expected, false]);
      expect(body).toMatchObject(fields);
    });

    test.each([
      ['a name with underscores', '_spf.example.org', '_spf.example.org'],
      ['the name in the URL of a page', 'https://example.org/x', 'example.org'],
    ])('accepts %s', async (_what, domain, asked) => {
      const { status, body } = await check(api, { domain });
      expect([status, body.domain]).toEqual([200, asked]);
    });

    test('finds a record as soon as it is published', async () => {
      expect((await check(api, { domain: 'new.example.org' })).body.status).toBe('no-record');
      await bind.publish('example.org', [...spfZone, 'new IN TXT "v=spf1 -all"']);
      expect((await check(api, { domain: 'new.example.org' })).body.status).toBe('valid');
    });
  });

  describe('a saved result', () => {
    test('has a public link that still shows the saved result after DNS has changed', async () => {
      const { body } = await check(api, { domain: '_spf.example.org', save: true });
      expect(body.shareId).toMatch(/^[0-9a-hjkmnp-tv-z]{24}$/);
      expect(body.shareUrl).toBe(`${service.url}/s/spf/${body.shareId}`);
      await bind.publish('example.org', []);
      const shown = await fetch(body.shareUrl);
      const html = await shown.text();
      await bind.publish('example.org', spfZone);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(html).toContain('deep.example.org');
      expect(html).toContain(`datetime="${body.checkedAt}"`);
    });

    test('has the same link if nothing changed since it was saved', async () => {
      const save = async (domain: string) => (await check(api, { domain, save: true })).body.shareId;
      const first = await save('example.org');
      expect(await save('example.org')).toBe(first);
      expect(await save('soft.example.org')).not.toBe(first);
    });

    test.each(['unknown', 'a'.repeat(24), 'a'.repeat(500), '%3Cscript%3E'])(
      'that does not exist (%s) is a 404 page',
      async (id) => {
        const answer = await page(`/s/spf/${id}`);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([
          404,
          'text/html; charset=utf-8',
        ]);
        expect(await answer.text()).toContain('Page not found');
      },
    );
  });

  describe('the page', () => {
    test('shows the result for ?domain= without any script', async () => {
      const answer = await page('/spf?domain=example.org');
      const html = await answer.text();
      expect(answer.status).toBe(200);
      expect(html).toContain('<h1>example.org</h1>');
      expect(html).toContain('4 of the 10 allowed DNS lookups');
      expect(Buffer.byteLength(html)).toBeLessThan(40_000);
    });

    test('shows next to the field what is wrong with a name', async () => {
      const answer = await page(`/spf?${new URLSearchParams({ domain: '"><script>alert(1)</script>' })}`);
      const html = await answer.text();
      expect(answer.status).toBe(400);
      expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
      expect(html).toMatch(/role="alert">The domain must/);
    });

    test('saves with a plain form, and redirects to the saved result', async () => {
      const answer = await submit({ domain: 'example.org' }, { 'sec-fetch-site': 'same-origin' });
      expect(answer.status).toBe(303);
      const location = answer.headers.get('location') ?? '';
      expect(location).toMatch(/^\/s\/spf\/[0-9a-z]{24}$/);
      expect(await (await page(location)).text()).toContain('<h1>example.org</h1>');
    });

    test.each(['/', '/spf', '/spf?domain=example.org', '/spf?domain=-', '/s/spf/unknown'])(
      '%s can load nothing, run only its own script, and not be framed',
      async (path) => {
        const { headers } = await page(path);
        expect(headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; style-src(?: 'sha256-[^']+'){1,2}; script-src 'sha256-[^']+'; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'$/,
        );
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('referrer-policy')).toBe('same-origin');
      },
    );
  });
});

describe('the rate limit per client', () => {
  let service: BootedService;
  let api: ApiClient;

  beforeAll(async () => {
    service = await useService({ TOOL_RATE_PER_MINUTE: '3' });
    api = await apiClient(service);
  });

  test('counts checker, page and form together, and rejects each in its own format', async () => {
    for (let n = 0; n < 3; n += 1) await check(api, { domain: 'parked.test' });
    const answer = await check(api, { domain: 'parked.test' });
    expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const form = { method: 'POST', body: new URLSearchParams({ domain: 'parked.test' }) };
    for (const [path, init] of [['/spf?domain=parked.test'], ['/s/spf', form]] as const) {
      const shown = await fetch(`${service.url}${path}`, init);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
      expect(Number(shown.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    // A visit of the home page checks nothing.
    expect((await fetch(service.url)).status).toBe(200);
  });

  test('does not apply to shared results, so a whole office can open a link', async () => {
    for (let n = 0; n < 8; n += 1) expect((await fetch(`${service.url}/s/spf/unknown`)).status).toBe(404);
  });
});
