import { describe, expect, test } from '@jest/globals';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '40' });

describe('rate limits', () => {
  test('allow five check runs of a domain per minute, even if ten requests arrive at once', async () => {
    const register = () =>
      api.call('POST', '/api/v1/domains', { json: { domain: 'parked.test', usageType: 'parked' } });
    const { body } = await register();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.call('POST', `/api/v1/domains/${body.data.id}/checks`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('rate_limited');
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    }
    await api.call('DELETE', `/api/v1/domains/${body.data.id}`);
    const { id } = (await register()).body.data;
    expect((await api.call('POST', `/api/v1/domains/${id}/checks`)).status).toBe(429);
  });

  test('limit the requests of an organization per minute', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => api.call('GET', '/api/v1/domains')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(31);
    expect(refused.length).toBeLessThan(60);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused[0]?.body.error.code).toBe('rate_limited');
  });

  test('do not count visits of the home page as checks', async () => {
    const visit = async (path: string) => (await fetch(`${service.url}${path}`)).status;
    const visits = await Promise.all(Array.from({ length: 40 }, () => visit('/')));
    expect(new Set(visits)).toEqual(new Set([200]));
    const check = (domain: string) => fetch(`${service.url}/spf?domain=${domain}`);
    const checks = await Promise.all(Array.from({ length: 40 }, (_, n) => check(`n${n}.test`)));
    const refused = checks.filter(({ status }) => status === 429);
    expect([refused.length, await visit('/')]).toEqual([10, 200]);
    const page = (await refused[0]?.text()) ?? '';
    expect([page.includes('Too many requests'), page.includes('You can try again in')]).toEqual([true, true]);
  });

  test('do not apply to unauthenticated requests', async () => {
    expect((await api.call('GET', '/api/v1/domains', { token: 'svc_nobody-nobody-nobody' })).status).toBe(
      401,
    );
  });
});
