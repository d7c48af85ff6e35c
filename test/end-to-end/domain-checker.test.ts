import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiAnswer, apiClient } from '../kit/api-client.ts';
import { publishTxt, verifyOwnership } from '../kit/example-internet.ts';
import type { BootedService } from '../kit/service.ts';
import { foreignToken, serviceTable } from '../kit/service-table.ts';
import { useApi, useService } from '../kit/use-service.ts';

const { service, api } = await useApi({ TOOL_RATE_PER_MINUTE: '0' });
const table = await serviceTable(service);
/** A token of another organization. */
const foreign = await foreignToken(table);
await table.stop();

const check = (json: object) => api.call('POST', '/api/domain-checker', { json, token: null });
const checkWithToken = (json: object, token: string) =>
  api.call('POST', '/api/v1/domain-checker', { json, token });

describe('POST /api/domain-checker', () => {
  test('needs no token, and returns the bare results with score and changes', async () => {
    const { status, body } = await check({ domain: 'https://GOOD.test/about' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ domain: 'good.test', usageType: 'sends-and-receives', shareId: null, shareUrl: null },
      score: { score: 100, grade: 'A', usageType: 'sends-and-receives', lastCheckedAt: body.checkedAt },
      fixes: { score: 100, scoreAfter: 100, changes: [] },
    });
    for (const { state } of [body.results.mx, body.results.spf, ...body.results.dkim]) {
      expect(state).toBe('pass');
    }
  });

  test('shows the report mailbox only to a token of the organization that verified the domain', async () => {
    const domain = 'own.test';
    await publishTxt(service, domain, 'v=spf1 -all');
    const json = { domain, usageType: 'sends-only' };
    const unregistered = contentOf(await check(json));
    const register = (token: string) => api.call('POST', '/api/v1/domains', { json, token });
    const { id, reporting } = (await register(service.token)).body.data;
    await register(foreign);
    const shownTo = async (token: string) => withoutTime((await checkWithToken(json, token)).body.data);
    for (const token of [service.token, foreign]) expect(await shownTo(token)).toEqual(unregistered);

    await verifyOwnership(service, api, id);
    const own = await checkWithToken({ ...json, save: true }, service.token);
    expect(JSON.stringify(own.body.data.fixes)).toContain(reporting.ruaAddress);
    const saved = await fetch(own.body.data.shareUrl);
    expect([saved.status, await saved.text()]).toEqual([
      200,
      expect.not.stringContaining(reporting.ruaAddress),
    ]);
    expect(contentOf(await check(json))).toEqual(unregistered);
    expect(await shownTo(foreign)).toEqual(unregistered);
  });

  test.each(['valid', 'wrong'])(
    'rejects a request with a %s token, and names the path for it',
    async (kind) => {
      const token = kind === 'valid' ? service.token : 'svc_wrong';
      const json = { domain: 'good.test' };
      const { status, body } = await api.call('POST', '/api/domain-checker', { json, token });
      expect([status, body.error]).toMatchObject([
        400,
        {
          code: 'invalid_request',
          message:
            'headers.authorization: is not accepted here; send requests with a token to /api/v1/domain-checker',
        },
      ]);
    },
  );

  test('ten checks of different domains at once are all answered', async () => {
    const domains = Array.from({ length: 10 }, (_, n) => `load${n}.test`);
    for (const name of domains) await publishTxt(service, name, 'v=spf1 include:weak.test -all');
    const answers = await Promise.all(domains.map((domain) => check({ domain })));
    expect(answers.map(({ status }) => status)).toEqual(domains.map(() => 200));
    for (const { body } of answers) {
      expect(body.results.spf.state).toBe('pass');
      expect(body.score.score).not.toBeNull();
    }
  });
});

describe('with PUBLIC_CHECKS=off', () => {
  let closed: BootedService;
  beforeAll(async () => {
    closed = await useService({ PUBLIC_CHECKS: 'off' });
  });

  const visit = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${closed.url}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
  const domain = 'good.test';

  test('there is no domain checker without a token', async () => {
    const caller = await apiClient(closed);
    const answer = await caller.call('POST', '/api/domain-checker', { json: { domain }, token: null });
    expect([answer.status, answer.body.error]).toMatchObject([
      404,
      { code: 'not_found', message: 'The domain checker is turned off.' },
    ]);
    const { status } = await caller.call('POST', '/api/v1/domain-checker', { json: { domain } });
    expect(status).toBe(200);
    const form = { method: 'POST', body: new URLSearchParams({ domain }) };
    expect((await visit('/s/check', form)).status).toBe(404);
    expect((await visit(`/check?domain=${domain}`)).status).toBe(404);
  });

  test.each(['/', '/spf'])('%s is the page of the SPF checker, which offers no other check', async (path) => {
    const { status, text } = await visit(path);
    expect([status, text]).toEqual([200, expect.stringContaining('<h1>Check your SPF record</h1>')]);
    expect(text).toContain('<form class="check" action="/spf"');
    expect(text).not.toContain('href="/"');
  });

  test('the SPF checker works', async () => {
    const { body } = await (await apiClient(closed)).call('POST', '/api/spf-checker', { json: { domain } });
    expect(body.status).toBe('valid');
    // Links to results that this page had before lead there.
    for (const path of ['/spf', '/']) {
      expect((await visit(`${path}?domain=${domain}`)).text).toContain('SPF record of');
    }
  });
});

function contentOf({ status, body }: ApiAnswer): object {
  expect(status).toBe(200);
  return withoutTime(body);
}

/** A result without the time of its check run. */
const withoutTime = (result: { readonly score: object }): object => ({
  ...result,
  checkedAt: '',
  score: { ...result.score, lastCheckedAt: '' },
});
