import { describe, expect, test } from '@jest/globals';
import { useApi } from '../kit/use-service.ts';

const ids = new Map<string, string>();

const { service, api } = await useApi({
  REPORTS_DOMAIN: 'reports.localhost',
  TESTER_DOMAIN: 'tester.localhost',
});
for (const domain of ['good.test', 'weak.test', 'servfail.test']) {
  const { body } = await api.call('POST', '/api/v1/domains', {
    json: { domain, testEmailLocalPart: 'postmaster' },
  });
  ids.set(domain, body.data.id);
}

const pathOf = (domain: string) => `/api/v1/domains/${ids.get(domain)}`;
const check = (domain: string) => api.call('POST', `${pathOf(domain)}/checks`);
const requirement = async (domain: string, profile: string, id: string) => {
  const { body } = await api.call('GET', `${pathOf(domain)}/compliance?profile=${profile}`);
  return body.data.requirements.find((one: { id: string }) => one.id === id);
};

async function csvOf(path: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${service.token}` };
  const response = await fetch(`${service.url}${path}`, { headers });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  return (await response.text()).trimEnd().split('\r\n');
}

describe('the compliance of a domain', () => {
  test('is unknown before the first check run, and then decided by it, with section and source', async () => {
    const before = await api.call('GET', `${pathOf('good.test')}/compliance?profile=bod-18-01`);
    expect(before.body.data).toMatchObject({ checkedAt: null, status: 'unknown', fulfilled: null });
    const run = await check('good.test');
    const { body } = await api.call('GET', `${pathOf('good.test')}/compliance?profile=bod-18-01`);
    expect(body.data).toMatchObject({ domain: 'good.test', checkedAt: run.body.data.checkedAt });
    expect(await requirement('good.test', 'bod-18-01', 'reject')).toMatchObject({
      ...{ status: 'fulfilled', level: 'must', coverage: 'text', section: 'II.1.a.iv', findings: [] },
      source: { date: '2017-10-16', address: expect.stringContaining('cisa.gov') },
    });
    expect(await requirement('good.test', 'bod-18-01', 'ssl')).toMatchObject({ status: 'not-testable' });
    await check('weak.test');
    expect(await requirement('weak.test', 'bod-18-01', 'reject')).toMatchObject({
      status: 'violated',
      findings: [{ id: 'dmarc-below-reject' }],
    });
  });

  test('claims nothing where lookups fail', async () => {
    await check('servfail.test');
    const { body } = await api.call('GET', `${pathOf('servfail.test')}/compliance?profile=pci-dss-4-0-1`);
    expect(body.data).toMatchObject({ status: 'unknown', fulfilled: null });
    expect(await requirement('servfail.test', 'pci-dss-4-0-1', '5.4.1')).toMatchObject({
      status: 'not-testable',
    });
  });

  test('is a file, too', async () => {
    const [head, ...rows] = await csvOf(`${pathOf('weak.test')}/compliance.csv?profile=bod-18-01`);
    expect(head).toContain('requirement,section,source,sourceDate,level,coverage,status');
    expect(rows.find((row) => row.includes(',reject,'))).toContain(',must,text,violated,');
  });
});

describe('the compliance of an organization', () => {
  test('lists domains by status, in pages, also as a file', async () => {
    const list = async (query: string) =>
      (await api.call('GET', `/api/v1/compliance?profile=bod-18-01${query}`)).body;
    const { data, meta } = await list('&limit=2');
    expect(data.counts.violated + data.counts.unknown + data.counts.fulfilled).toBe(3);
    expect([data.domains.length, meta.pagination.hasMore]).toEqual([2, true]);
    expect((await list('&limit=2&page=2')).data.domains).toHaveLength(1);
    const { domains } = (await list('&status=violated')).data;
    expect(domains).toHaveLength(data.counts.violated);
    expect(domains.find((one: { domain: string }) => one.domain === 'weak.test')).toMatchObject({
      ...{ status: 'violated', fulfilled: false },
      violated: expect.arrayContaining(['reject']),
    });
    const [head, ...rows] = await csvOf('/api/v1/compliance.csv?profile=bod-18-01&status=violated');
    expect(head).toMatch(/^domain,domainId,profile,checkedAt,status/);
    expect(rows.map((row) => row.split(',')[0])).toEqual(
      domains.map((one: { domain: string }) => one.domain),
    );
  });

  test('knows the own profiles of the organization, and says what is wrong with one', async () => {
    const path = '/api/v1/compliance/settings';
    const before = await api.call('GET', path);
    expect(before.body.data).toMatchObject({ follows: [], own: [] });
    expect(before.body.data.available).toHaveLength(6);
    const own = {
      ...{ id: 'own-baseline', name: 'Our baseline', version: '1' },
      requirements: [{ id: 'tls-rpt', text: 'Reports.', level: 'must', rules: ['tls-rpt-missing'] }],
    };
    const wrong = { ...own, requirements: [{ ...own.requirements[0], rules: ['tls-rpt'] }] };
    const refused = await api.call('PUT', path, { json: { own: [wrong] } });
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      [{ path: 'body.own.0.requirements.0.rules.0', message: 'is not the ID of a rule or fact' }],
    ]);
    const unknown = await api.call('PUT', path, { json: { follows: ['own-baseline'] } });
    expect([unknown.status, unknown.body.message]).toEqual([
      400,
      expect.stringContaining('which is no profile'),
    ]);
    const saved = await api.call('PUT', path, { json: { own: [own], follows: ['own-baseline'] } });
    expect(saved.body.data).toMatchObject({ follows: ['own-baseline'], own: [{ id: 'own-baseline' }] });
    const needed = await api.call('PUT', path, { json: { own: [] } });
    expect([needed.status, needed.body.message]).toEqual([400, expect.stringContaining('own-baseline')]);
    expect(await requirement('weak.test', 'own-baseline', 'tls-rpt')).toMatchObject({ status: 'violated' });
    // The directory knows it from the next check run on.
    const counts = async () =>
      (await api.call('GET', '/api/v1/compliance?profile=own-baseline')).body.data.counts;
    expect(await counts()).toMatchObject({ unknown: 3, violated: 0 });
    await check('weak.test');
    expect(await counts()).toMatchObject({ unknown: 2, violated: 1 });
    const { body } = await api.call('GET', '/api/v1/audit');
    const actions = body.data.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => action === 'changeCompliance')).toHaveLength(1);
  });
});
