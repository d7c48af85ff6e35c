import { get as httpGet } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { register } from '../kit/register.ts';
import { dmarcReport, policy, row, storeDmarc, storeTls, tlsReport } from '../kit/reports.ts';
import { serviceTable, storedDomain } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi();
const table = await use(serviceTable(service));
const reports = dmarcReportStore(table, { retentionDays: 0 });

let names = 0;
async function newDomain(): Promise<Domain> {
  names += 1;
  const { id } = await register(api, `d${names}.example.org`);
  return storedDomain(table, id);
}

const path = ({ id }: Domain, rest: string) => `/api/v1/domains/${id}/reports/${rest}`;
const read = async (domain: Domain, rest: string) => (await api.call('GET', path(domain, rest))).body;

/** Returns a response unchanged, with its body as bytes; `fetch` would decompress it. */
function plain(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      httpGet(
        url,
        { headers: { authorization: `Bearer ${service.token}`, ...headers } },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
        },
      ).on('error', reject);
    },
  );
}

const failing = { dkim: 'fail', spf: 'fail' } as const;

describe('GET /domains/{id}/reports/dmarc', () => {
  test('returns an empty list and a pass rate of 0 for a domain without reports', async () => {
    const { data, meta } = await read(await newDomain(), 'dmarc');
    expect(data).toEqual({
      reports: [],
      summary: { totalReports: 0, totalMessages: 0, passedMessages: 0, failedMessages: 0, passRate: 0 },
    });
    expect(meta.pagination.hasMore).toBe(false);
  });

  test('returns 404 as soon as the domain is removed', async () => {
    const domain = await newDomain();
    await storeDmarc(reports, domain, dmarcReport('2026-02-23'));
    await api.call('DELETE', `/api/v1/domains/${domain.id}`);
    expect((await api.call('GET', path(domain, 'dmarc'))).status).toBe(404);
    expect((await storeDmarc(reports, domain, dmarcReport('2026-02-24'))).status).toBe('domain-gone');
  });
});

describe('a large response', () => {
  let domain: Domain;
  const rows = Array.from({ length: 30_000 }, (_, n) =>
    row({ sourceIp: `10.0.${n >> 8}.${n & 255}`, count: (n % 9) + 1, headerFrom: `m${n % 50}.example.org` }),
  );
  beforeAll(async () => {
    domain = await newDomain();
    for (const day of [1, 2]) await storeDmarc(reports, domain, dmarcReport(`2026-02-0${day}`, rows));
  });
  const url = (query: string) => `${service.url}${path(domain, `dmarc?${query}`)}`;

  test('is compressed if the client accepts it', async () => {
    const answer = await plain(url('includeRecords=true'), {
      'accept-encoding': 'br;q=1.0, gzip;q=0.8, *;q=0.1',
    });
    expect([answer.status, answer.headers['content-encoding'], answer.headers.vary]).toEqual([
      200,
      'gzip',
      'accept-encoding',
    ]);
    expect(answer.body.length).toBeLessThan(6 * 1024 * 1024);
    const { data } = JSON.parse(gunzipSync(answer.body).toString());
    expect(data.reports.map(({ records }: { records: object[] }) => records.length)).toEqual([
      30_000, 30_000,
    ]);
  });

  test('is rejected with alternatives if the client does not accept it', async () => {
    const answer = await plain(url('includeRecords=true'), { 'accept-encoding': 'gzip;q=0' });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([413, undefined]);
    const { error } = JSON.parse(answer.body.toString());
    expect(error.code).toBe('payload_too_large');
    expect(error.message).toContain('use: Accept-Encoding: gzip (curl --compressed); Accept: text/csv');
  });

  test('can fit as CSV if it does not fit as JSON', async () => {
    const other = await newDomain();
    await storeDmarc(reports, other, dmarcReport('2026-02-01', rows.slice(0, 20_000)));
    const at = (rest: string) => `${service.url}${path(other, `dmarc?limit=1${rest}`)}`;
    expect((await plain(at('&includeRecords=true'), {})).status).toBe(413);
    const table = await plain(at(''), { accept: 'text/csv' });
    expect([table.status, table.body.toString().split('\r\n').length]).toEqual([200, 20_002]);
  });
});

describe('CSV', () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await newDomain();
    const rows = [
      row({ count: 2, headerFrom: '=HYPERLINK("http://evil.example","x")' }),
      row({ headerFrom: '@cmd', envelopeFrom: '-1+1', ...failing }),
    ];
    await storeDmarc(reports, domain, dmarcReport('2026-02-22', rows, { orgName: 'A, "B"\r\nC' }));
    await storeDmarc(reports, domain, dmarcReport('2026-02-23', [row()], { orgName: '+1' }));
  });
  const asCsv = (rest: string, accept = 'text/csv') =>
    plain(`${service.url}${path(domain, rest)}`, { accept });

  test('of reports has a quoted line per record, and no formulas', async () => {
    const { status, headers, body } = await asCsv('dmarc');
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(headers['content-disposition']).toBe('attachment; filename="dmarc-records.csv"');
    const text = body.toString();
    expect(text.startsWith('report,reportId,orgName,')).toBe(true);
    expect(text).toContain(`,'+1,`);
    expect(text).toContain(`,"A, ""B""\r\nC",`);
    expect(text).toContain(`,"'=HYPERLINK(""http://evil.example"",""x"")",`);
    expect(text).toContain(`,'@cmd,'-1+1,`);
    expect(text.endsWith('\r\n')).toBe(true);
  });

  test('of a page links to the next page', async () => {
    const { headers } = await asCsv('dmarc?limit=1&startDate=2026-01-01T00:00:00%2B01:00');
    const query = 'limit=1&startDate=2026-01-01T00%3A00%3A00%2B01%3A00&pageToken=';
    expect(headers.link).toMatch(/^<http:[^?]+\/reports\/dmarc\?[^>]+>; rel="next"$/);
    expect(headers.link).toContain(`?${query}`);
    expect((await asCsv('dmarc?limit=1&page=2')).headers.link).not.toContain('rel="next"');
  });

  test.each(['dmarc', 'dmarc/sources', 'dmarc/timeline'])(
    'of %s is also sent for the path with .csv, whatever the client accepts',
    async (rest) => {
      const [own, negotiated] = await Promise.all([asCsv(`${rest}.csv`, 'application/json'), asCsv(rest)]);
      expect([own.status, own.headers['content-type']]).toEqual([200, negotiated.headers['content-type']]);
      expect(own.body.toString()).toBe(negotiated.body.toString());
    },
  );

  test('of sources and of the timeline contains the whole window', async () => {
    const window = '?startDate=2026-02-22&endDate=2026-02-23';
    expect((await asCsv(`dmarc/sources${window}`)).body.toString().split('\r\n')).toEqual([
      'sourceIp,network,provider,authenticatedAs,messages,passedMessages,failedMessages,passRate,dkimAligned,spfAligned,none,quarantine,reject,firstSeen,lastSeen',
      '192.0.2.1,192.0.2.0/24,,,4,3,1,75,3,3,4,0,0,2026-02-22,2026-02-23',
      '',
    ]);
    expect((await asCsv(`dmarc/timeline${window}`)).body.toString().split('\r\n')).toEqual([
      'date,reports,messages,passedMessages,failedMessages,passRate,dkimAligned,spfAligned,none,quarantine,reject',
      '2026-02-22,1,3,2,1,66.67,2,2,3,0,0',
      '2026-02-23,1,1,1,0,100,1,1,1,0,0',
      '',
    ]);
  });
});

test.each(['sources', 'timeline'])('the %s of DMARC reports cover at most 366 days', async (rest) => {
  const domain = await newDomain();
  const { summary } = (await read(domain, `dmarc/${rest}?startDate=2024-01-01&endDate=2024-12-31`)).data;
  expect(summary).toBeDefined();
  for (const query of ['startDate=2024-01-01&endDate=2025-01-01', 'startDate=9999-01-01']) {
    const { status, body } = await api.call('GET', path(domain, `dmarc/${rest}?${query}`));
    expect([status, body.error.details[0].path]).toEqual([400, 'query.startDate']);
  }
});

describe('GET /domains/{id}/reports/tls', () => {
  test('has policies if they are requested, with their hosts as a list and as a text', async () => {
    const domain = await newDomain();
    const given = policy({ failureCount: 1, mxHost: ['mx1.example.org', '*.example.net'] });
    await storeTls(tlsReportStore(table, { retentionDays: 0 }), domain, tlsReport('2026-02-23', [given]));
    const { data } = await read(domain, 'tls?includePolicies=true&startDate=2026-02-23');
    expect(data.reports[0].policies).toMatchObject([
      { mxHost: 'mx1.example.org, *.example.net', mxHosts: ['mx1.example.org', '*.example.net'] },
    ]);
    expect((await read(domain, 'tls')).data.reports[0]).not.toHaveProperty('policies');
  });
});
