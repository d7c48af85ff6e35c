import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type BootedService, bootService } from '../kit/service.ts';

let service: BootedService;
let api: ApiClient;

beforeAll(async () => {
  service = await bootService({ TOOL_RATE_PER_MINUTE: '0' });
  api = await apiClient(service);
});
afterAll(() => service.remove());

const check = (json: object, token: string | null = null) =>
  api.call('POST', '/api/domain-checker', { json, token });

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

  test.each([
    ['weak.test', 'sends-and-receives', 'F'],
    ['parked.test', 'parked', 'A'],
    ['nonexistent.test', 'sends-and-receives', 'F'],
    ['servfail.test', 'sends-and-receives', null],
  ])('%s (%s) has the grade %s', async (domain, usageType, grade) => {
    const { status, body } = await check({ domain, usageType });
    expect([status, body.usageType, body.score.grade]).toEqual([200, usageType, grade]);
    expect(body.fixes.score).toBe(body.score.score);
  });

  test('shows the report mailbox of a registered domain only to a token of its organization', async () => {
    const created = await api.call('POST', '/api/v1/domains', {
      json: { domain: 'broken-spf.test', usageType: 'sends-only' },
    });
    const mailbox = created.body.data.reporting.ruaAddress;
    const domain = { domain: 'broken-spf.test', usageType: 'sends-only', save: true };
    const own = await check(domain, service.token);
    expect(JSON.stringify(own.body.fixes)).toContain(mailbox);
    const others = await check(domain);
    expect(JSON.stringify(others.body)).not.toContain(mailbox.replace('mailto:', ''));
  });

  test('a wrong token is an error, although none is needed', async () => {
    const { status, body } = await check({ domain: 'good.test' }, 'svc_wrong');
    expect([status, body.error.code]).toEqual([401, 'unauthorized']);
  });

  test('saves the result under a link', async () => {
    const { body } = await check({ domain: 'good.test', save: true });
    expect(body.shareUrl).toMatch(/\/s\/check\/[0-9a-z]{24}$/);
    expect(body.shareUrl).toContain(body.shareId);
  });

  test.each([
    [{}, 'body.domain'],
    [{ domain: 'localhost' }, 'body.domain'],
    [{ domain: 'good.test', usageType: 'unknown' }, 'body.usageType'],
    [{ domain: 'good.test', save: 'yes' }, 'body.save'],
    [{ domain: ['good.test', 'weak.test'] }, 'body.domain'],
  ])('%j is a 400 that names the field', async (json, path) => {
    const { status, body } = await check(json);
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  test('50 checks of different domains at once are all answered', async () => {
    const domains = Array.from({ length: 50 }, (_, n) => `load${n}.weak.test`);
    for (const name of domains) await publish(name, 'v=spf1 include:weak.test -all');
    const answers = await Promise.all(domains.map((domain) => check({ domain })));
    expect(answers.map(({ status }) => status)).toEqual(domains.map(() => 200));
    for (const { body } of answers) {
      expect(body.results.spf.state).toBe('pass');
      expect(body.score.confidence).toBe(1);
    }
  });
});

async function publish(name: string, value: string): Promise<void> {
  const published = await fetch(`${service.url}/example-internet/records`, {
    method: 'POST',
    body: JSON.stringify({ name, type: 'TXT', value }),
  });
  expect(published.status).toBe(200);
}
