/** Compliance of domains that were checked, as answers and as files; `test/functions/recorded-answers.test.ts` has answers whole. */
import { expect, test } from '@jest/globals';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi({
  REPORTS_DOMAIN: 'reports.localhost',
  TESTER_DOMAIN: 'tester.localhost',
});
const paths: string[] = [];
for (const domain of ['good.test', 'weak.test', 'servfail.test']) {
  const json = { domain, testEmailLocalPart: 'postmaster' };
  paths.push(`/api/v1/domains/${(await api.call('POST', '/api/v1/domains', { json })).body.data.id}`);
}
const [good = '', weak = ''] = paths;

const complianceOf = async (path: string) =>
  (await api.call('GET', `${path}/compliance?profile=bod-18-01`)).body.data;

async function csvOf(path: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${service.token}` };
  const response = await fetch(`${service.url}${path}`, { headers });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  return (await response.text()).trimEnd().split('\r\n');
}

test('of a domain is unknown before the first check run, and then decided by it, also in a file', async () => {
  expect(await complianceOf(good)).toMatchObject({ checkedAt: null, status: 'unknown', fulfilled: null });
  const run = await api.call('POST', `${good}/checks`);
  const { checkedAt, requirements } = await complianceOf(good);
  expect(checkedAt).toBe(run.body.data.checkedAt);
  expect(requirements).toContainEqual(
    expect.objectContaining({ id: 'reject', status: 'fulfilled', findings: [] }),
  );
  await api.call('POST', `${weak}/checks`);
  const [head, ...rows] = await csvOf(`${weak}/compliance.csv?profile=bod-18-01`);
  expect(head).toContain('requirement,section,source,sourceDate,level,coverage,status');
  expect(rows.find((row) => row.includes(',reject,'))).toContain(',must,text,violated,');
});

test('of an organization lists domains by status, in pages, also as a file', async () => {
  const list = async (query: string) =>
    (await api.call('GET', `/api/v1/compliance?profile=bod-18-01${query}`)).body;
  const { data, meta } = await list('&limit=2');
  expect([data.domains.length, meta.pagination.hasMore]).toEqual([2, true]);
  expect((await list('&limit=2&page=2')).data.domains).toHaveLength(1);
  const named = (await list('&status=violated')).data.domains.map(({ domain }: { domain: string }) => domain);
  expect([named.length, named]).toEqual([data.counts.violated, expect.arrayContaining(['weak.test'])]);
  const [head, ...rows] = await csvOf('/api/v1/compliance.csv?profile=bod-18-01&status=violated');
  expect(head).toMatch(/^domain,domainId,profile,checkedAt,status/);
  expect(rows.map((row) => row.split(',')[0])).toEqual(named);
});
