import { describe, expect, test } from '@jest/globals';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { register } from '../kit/register.ts';
import { dmarcReport, row, storeDmarc } from '../kit/reports.ts';
import { serviceTable, storedDomain } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

/** Days before today. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

const newsletter = row({
  sourceIp: '198.51.100.10',
  count: 30,
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [{ domain: 'news.example.net', result: 'pass', selector: 'n' }],
  spfResults: [{ domain: 'bounce.news.example.net', result: 'pass', scope: 'mfrom' }],
});

const { service, api } = await useApi();
const table = await use(serviceTable(service));
const reports = dmarcReportStore(table, { retentionDays: 0 });
const newDomain = async (name: string) =>
  storedDomain(table, (await register(api, name, { usageType: 'sends-only' })).id);
const domain = await newDomain('example.org');
for (const days of [3, 4, 5]) {
  const header = { reportId: `r${days}`, orgName: 'google.com', policyP: 'none' };
  await storeDmarc(
    reports,
    domain,
    dmarcReport(`${daysAgo(days)}T00:00:00Z`, [row({ count: 100 }), newsletter], header),
  );
}

const at = (path: string) => `/api/v1/domains/${domain.id}/${path}`;

test('senders are filtered by the decision, whose note stays when it is undone', async () => {
  const [, { id }] = (await api.call('GET', at('senders'))).body.data;
  await api.call('PATCH', at(`senders/${id}`), { json: { status: 'approved', note: 'our newsletter' } });
  const names = async (query: string) =>
    (await api.call('GET', at(`senders?${query}`))).body.data.map(({ name }: { name: string }) => name);
  expect(await names('status=approved')).toEqual(['example.net']);
  expect(await names('status=none')).toEqual(['192.0.2.0/24']);
  expect(await names('page=2&limit=1')).toEqual(['example.net']);
  const undone = await api.call('PATCH', at(`senders/${id}`), { json: { status: null } });
  expect(undone.body.data).toMatchObject({ status: null, note: 'our newsletter' });
});

test('a decision does not overwrite a later one that its If-Match does not name', async () => {
  const [{ id }] = (await api.call('GET', at('senders'))).body.data;
  const decide = (note: string, headers = {}) =>
    api.call('PATCH', at(`senders/${id}`), { json: { note }, headers });
  const tag = (await decide('first')).headers.get('etag');
  const second = await decide('second', { 'if-match': tag });
  expect(second.status).toBe(200);
  const late = await decide('late', { 'if-match': tag });
  expect([late.status, late.body.error.code]).toEqual([412, 'precondition_failed']);
  const [{ note }] = (await api.call('GET', at('senders'))).body.data;
  expect(note).toBe('second');
});

test('an unknown sender and an invalid decision are refused', async () => {
  const json = { status: 'approved' };
  expect((await api.call('PATCH', at('senders/domain-unknown'), { json })).status).toBe(404);
  expect((await api.call('PATCH', at('senders/a%20b'), { json })).status).toBe(404);
});

describe('a simulation', () => {
  test.each([
    [{ dmarc: 'v=DMARC1; p=bob' }, 'body.dmarc'],
    [{ spf: 'v=spf1 ipv4:192.0.2.1 -all' }, 'body.spf'],
    [{ dmarc: 'v=DMARC1; p=none', startDate: '2020-01-01' }, 'body.startDate'],
  ])('of %j is refused', async (json, path) => {
    const { status, body } = await api.call('POST', at('simulations'), { json });
    expect(status).toBe(400);
    expect(body.error.details[0].path).toBe(path);
  });
});

test('enforcement recommends no record before a check found that of today, and attestations are withdrawn', async () => {
  const { body } = await api.call('GET', at('enforcement'));
  // Reports only say which policy it has.
  expect(body.data).toMatchObject({ nextRecord: null, simulation: { messages: 390 } });
  const json = { attested: { volume: true } };
  const attested = await api.call('PATCH', at('enforcement'), { json });
  expect(attested.body.data.attested.volume).toEqual({ at: expect.any(String), by: expect.any(String) });
  const back = await api.call('PATCH', at('enforcement'), { json: { attested: { volume: false } } });
  expect(back.body.data.attested.volume).toBeNull();
});

test('mail of other customers of a provider is a sender of its own, which cannot be approved', async () => {
  const shared = await newDomain('example.net');
  const ses = { domain: 'amazonses.com', result: 'pass', selector: 's' };
  const envelope = { domain: 'eu-west-1.amazonses.com', result: 'pass', scope: 'mfrom' } as const;
  const through = { headerFrom: 'example.net', spf: 'fail', spfResults: [envelope] } as const;
  const own = { domain: 'example.net', result: 'pass', selector: 's' };
  const rows = [
    row({ ...through, sourceIp: '198.51.100.20', count: 50, dkim: 'pass', dkimResults: [own, ses] }),
    row({ ...through, sourceIp: '198.51.100.21', count: 900, dkim: 'fail', dkimResults: [ses] }),
  ];
  const header = { reportId: 'ses', orgName: 'google.com', policyDomain: 'example.net', policyP: 'none' };
  await storeDmarc(reports, shared, dmarcReport(`${daysAgo(4)}T00:00:00Z`, rows, header));
  const path = `/api/v1/domains/${shared.id}/senders`;
  const listed = async () => (await api.call('GET', path)).body.data;
  const [others, provider] = await listed();
  expect([others, provider]).toMatchObject([
    { name: 'Amazon SES, other customers', kind: 'provider', messages: 900, failedMessages: 900 },
    { name: 'Amazon SES', kind: 'provider', messages: 50, passedMessages: 50 },
  ]);
  const decide = (id: string, status: string) => api.call('PATCH', `${path}/${id}`, { json: { status } });
  expect((await decide(provider.id, 'approved')).status).toBe(200);
  const refused = await decide(others.id, 'approved');
  expect([refused.status, refused.body.error.details]).toEqual([
    400,
    [
      {
        path: 'body.status',
        message: expect.stringContaining('every customer of the provider can send this mail'),
      },
    ],
  ]);
  expect((await listed()).map(({ status }: { status: string | null }) => status)).toEqual([null, 'approved']);
  const { rule } = (await api.call('GET', `/api/v1/domains/${shared.id}/enforcement`)).body.data;
  expect(rule).toContainEqual(
    expect.objectContaining({ name: 'Messages of approved senders', actual: expect.stringMatching(/^50\b/) }),
  );
  expect((await decide(others.id, 'unauthorized')).body.data.status).toBe('unauthorized');
});
