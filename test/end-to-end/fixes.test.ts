import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { fixes, previewBody } from '../../shared/api/fixes.ts';
import { type ApiClient, apiClient } from '../kit/api-client.ts';
import { type BootedService, bootService } from '../kit/service.ts';

let service: BootedService;
let api: ApiClient;
let path: string;

beforeAll(async () => {
  service = await bootService({ REPORTS_DOMAIN: 'reports.localhost', TESTER_DOMAIN: 'tester.localhost' });
  api = await apiClient(service);
  const { body } = await api.call('POST', '/api/v1/domains', {
    json: { domain: 'weak.test', testEmailLocalPart: 'postmaster' },
  });
  path = `/api/v1/domains/${body.data.id}`;
});
afterAll(() => service.remove());

async function text(format: string): Promise<string> {
  const headers = { authorization: `Bearer ${service.token}` };
  return (await fetch(`${service.url}${path}/fixes?format=${format}`, { headers })).text();
}

describe('the recommended changes of a domain', () => {
  test('are empty before the first check run', async () => {
    const { body } = await api.call('GET', `${path}/fixes`);
    expect(body.data).toEqual({ score: null, scoreAfter: null, changes: [], files: [], manual: [] });
  });

  test('come true in a preview, as changes and as a zone file, which stores nothing', async () => {
    const run = await api.call('POST', `${path}/checks`);
    const { data: plan } = (await api.call('GET', `${path}/fixes`)).body;
    const safe = plan.changes.filter((change: { class: string }) => change.class === 'safe');
    expect(safe.map(({ id }: { id: string }) => id)).toEqual([
      'safe:_dmarc.weak.test:TXT',
      'safe:_smtp._tls.weak.test:TXT',
    ]);
    for (const json of [{ changes: safe }, { zone: await text('zone') }]) {
      const preview = await api.call('POST', `${path}/checks/preview`, { json });
      expect(preview.status).toBe(200);
      const { score, scoreBefore, resolved } = preview.body.data;
      expect([scoreBefore, score.score]).toEqual([plan.score, plan.scoreAfter]);
      const ids = resolved.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expect.arrayContaining(['dmarc-missing-rua', 'tls-rpt-missing']));
    }
    const { data } = (await api.call('GET', path)).body;
    expect(data.lastCheckedAt).toBe(run.body.data.checkedAt);
    expect(JSON.parse(await text('route53')).Changes).toHaveLength(2);
    expect(await text('terraform')).toContain('resource "aws_route53_record" "r__dmarc_weak_test_txt"');
  });

  test.each([
    [{ zone: 'other.test. TXT x' }, 'line 1: other.test is outside of weak.test'],
    [{ zone: '@ CNAME other.test.' }, 'weak.test would have a CNAME record beside other data'],
    [{}, 'must contain either changes or zone'],
  ])('are not previewed for %j', async (json, problem) => {
    const { status, body } = await api.call('POST', `${path}/checks/preview`, { json });
    expect([status, body.message]).toEqual([400, expect.stringContaining(problem)]);
  });
});

test('a parked domain is not closed by safe changes while no report shows that it has no mail', async () => {
  const publish = (record: object) =>
    fetch(`${service.url}/example-internet/records`, { method: 'PUT', body: JSON.stringify(record) });
  await publish({ name: 'closed.test', type: 'TXT', value: 'unrelated' });
  const { body } = await api.call('POST', '/api/v1/domains', {
    json: { domain: 'closed.test', usageType: 'parked' },
  });
  await api.call('POST', `/api/v1/domains/${body.data.id}/checks`);
  const { data: plan } = (await api.call('GET', `/api/v1/domains/${body.data.id}/fixes`)).body;
  const changes = plan.changes.map((change: { class: string; after: string[] }) => [
    change.class,
    change.after.at(-1),
  ]);
  const own = body.data.reporting.ruaAddress;
  expect(changes).toEqual([
    ['safe', `v=DMARC1; p=none; rua=${own}`],
    ['needs-decision', '0 .'],
    ['needs-decision', 'v=spf1 -all'],
    ['needs-decision', `v=DMARC1; p=reject; rua=${own}`],
  ]);
});

test('the OpenAPI document has an example of a plan and of a preview', async () => {
  const { paths } = (await api.call('GET', '/api/openapi.json')).body;
  const { get } = paths['/api/v1/domains/{id}/fixes'];
  const { post } = paths['/api/v1/domains/{id}/checks/preview'];
  const { data } = get.responses[200].content['application/json'].example;
  expect(z.safeParse(fixes, data).error).toBeUndefined();
  const body = post.requestBody.content['application/json'].example;
  expect(z.safeParse(previewBody, body).error).toBeUndefined();
});

test('previews count for the limit of a domain also if they cannot be read', async () => {
  const { body } = await api.call('POST', '/api/v1/domains', {
    json: { domain: 'counted.test', usageType: 'parked' },
  });
  const preview = () =>
    api.call('POST', `/api/v1/domains/${body.data.id}/checks/preview`, { json: { zone: '$TTL x' } });
  const statuses: number[] = [];
  for (let time = 0; time < 6; time += 1) statuses.push((await preview()).status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
});
