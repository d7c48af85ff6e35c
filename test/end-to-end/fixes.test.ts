import { describe, expect, test } from '@jest/globals';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { publishTxt } from '../kit/example-internet.ts';
import { register } from '../kit/register.ts';
import { arrival, dmarcReport, row, storeDmarc } from '../kit/reports.ts';
import { serviceTable, storedDomain } from '../kit/service-table.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi({
  REPORTS_DOMAIN: 'reports.localhost',
  TESTER_DOMAIN: 'tester.localhost',
});
const receiving = { usageType: 'sends-and-receives', testEmailLocalPart: 'postmaster' };
const path = `/api/v1/domains/${(await register(api, 'weak.test', receiving)).id}`;

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
    for (const [format, ending, mediaType] of [
      ['zone', '.zone', 'text/dns'],
      ['route53', '/route53', 'application/vnd.route53.change-batch+json'],
      ['terraform', '.tf', 'text/x-terraform'],
    ] as const) {
      const headers = { authorization: `Bearer ${service.token}` };
      const at = (url: string, accept = '*/*') =>
        fetch(`${service.url}${url}`, { headers: { ...headers, accept } });
      const [byPath, byHeader] = [await at(`${path}/fixes${ending}`), await at(`${path}/fixes`, mediaType)];
      for (const response of [byPath, byHeader])
        expect([response.headers.get('content-type'), await response.text()]).toEqual([
          `${mediaType}; charset=utf-8`,
          await text(format),
        ]);
    }
  });
});

test('a parked domain is not closed by safe changes while no report shows that it has no mail', async () => {
  await publishTxt(service, 'closed.test', 'unrelated', 'PUT');
  const { id, reporting } = await register(api, 'closed.test');
  await api.call('POST', `/api/v1/domains/${id}/checks`);
  const { data: plan } = (await api.call('GET', `/api/v1/domains/${id}/fixes`)).body;
  const changes = plan.changes.map((change: { class: string; after: string[] }) => [
    change.class,
    change.after.at(-1),
  ]);
  const own = reporting.ruaAddress;
  expect(changes).toEqual([
    ['safe', `v=DMARC1; p=none; rua=${own}`],
    ['needs-decision', 'v=spf1 -all'],
    ['needs-decision', '0 .'],
    ['needs-decision', `v=DMARC1; p=reject; rua=${own}`],
  ]);
});

test('the path of a format has no other format', async () => {
  const { id } = (await api.call('GET', '/api/v1/domains')).body.data[0];
  const { status, body } = await api.call('GET', `/api/v1/domains/${id}/fixes.zone?format=route53`);
  expect([status, body.error.details[0].path]).toEqual([400, 'query.format']);
  const sources = await api.call('GET', `/api/v1/domains/${id}/reports/dmarc/sources.csv?page=2`);
  expect([sources.status, sources.body.error.details[0].path]).toEqual([400, 'query.page']);
});

test('previews count for the limit of a domain also if they cannot be read', async () => {
  const { id } = await register(api, 'counted.test');
  const preview = () =>
    api.call('POST', `/api/v1/domains/${id}/checks/preview`, { json: { zone: '$TTL x' } });
  const statuses: number[] = [];
  for (let time = 0; time < 6; time += 1) statuses.push((await preview()).status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
});

test('the plan for +all lists the senders that the owner approved, and names the others', async () => {
  await publishTxt(service, 'open.test', 'v=spf1 +all');
  const { id } = await register(api, 'open.test', { usageType: 'sends-only' });
  const table = await serviceTable(service);
  try {
    const domain = await storedDomain(table, id);
    const passes = [{ domain: 'open.test', result: 'pass', scope: 'mfrom' }] as const;
    const ses = [{ domain: 'amazonses.com', result: 'pass', selector: 's' }];
    const mail = { headerFrom: 'open.test', dkim: 'fail', spf: 'pass', spfResults: passes } as const;
    const rows = [
      row({ ...mail, sourceIp: '198.51.100.20', dkimResults: [] }),
      row({ ...mail, sourceIp: '203.0.113.66', dkimResults: [] }),
      row({ ...mail, spf: 'fail', sourceIp: '203.0.113.9', dkimResults: ses, spfResults: [] }),
    ];
    const day = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const header = { reportId: 'open', orgName: 'google.com', policyDomain: 'open.test' };
    const reports = dmarcReportStore(table, { retentionDays: 0 });
    await storeDmarc(reports, domain, dmarcReport(day, rows, header));
    const forgedRows = [row({ ...mail, sourceIp: '192.0.2.200', dkimResults: [] })];
    const forged = dmarcReport(day, forgedRows, { ...header, reportId: 'forged' });
    const from = { identity: forged.identity, arrival: { ...arrival, authenticated: false } };
    const writer = reports.begin(domain, forged.header, from);
    writer.add(forgedRows);
    await writer.commit(new Date());
  } finally {
    await table.stop();
  }
  await api.call('POST', `/api/v1/domains/${id}/checks`);
  const plan = async () => (await api.call('GET', `/api/v1/domains/${id}/fixes`)).body.data;
  const spfOf = ({ changes }: { changes: { after: string[] }[] }) =>
    changes.find(({ after }) => after.some((text) => text.startsWith('v=spf1')));
  const before = await plan();
  expect(spfOf(before)).toBeUndefined();
  const { reason } = before.manual.find(({ resolves }: { resolves: string[] }) =>
    resolves.includes('spf-pass-all'),
  );
  expect(reason).toContain('show mail from 198.51.100.0/24 and 203.0.113.0/24, without a decision of yours.');
  // What every customer of a provider can send, and what only a forged report shows.
  expect(reason).not.toMatch(/Amazon SES|192\.0\.2\.0/);
  const senders = (await api.call('GET', `/api/v1/domains/${id}/senders`)).body.data;
  const own = senders.find(({ name }: { name: string }) => name === '198.51.100.0/24');
  await api.call('PATCH', `/api/v1/domains/${id}/senders/${own.id}`, { json: { status: 'approved' } });
  const after = await plan();
  expect(spfOf(after)).toMatchObject({
    ...{ class: 'needs-decision', after: ['v=spf1 ip4:198.51.100.0/24 ~all'] },
    resolves: expect.arrayContaining(['spf-pass-all']),
    reason: expect.stringContaining('from 203.0.113.0/24, without a decision of yours.'),
  });
  const preview = await api.call('POST', `/api/v1/domains/${id}/checks/preview`, {
    json: { changes: [spfOf(after)] },
  });
  expect(preview.body.data.results.spf).toMatchObject({
    ...{ valid: true, allPolicy: '~all', flattenedIps: ['198.51.100.0/24'] },
  });
});
