import { get as httpGet } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { validToken } from '../../shared/store/api-tokens.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { dmarcReport, policy, row, storeDmarc, storeTls, tlsReport } from '../kit/reports.ts';
import { serviceTable } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi();
const table = await use(serviceTable(service));
const reports = dmarcReportStore(table, { retentionDays: 0 });

let names = 0;
async function register(): Promise<Domain> {
  names += 1;
  const json = { domain: `d${names}.example.org`, usageType: 'parked' };
  const { body } = await api.call('POST', '/api/v1/domains', { json });
  const token = await validToken(table, service.token, new Date());
  const domain = await domainStore(table).get(token?.organization ?? '', body.data.id);
  if (domain === undefined) throw new Error('the domain is not in the table');
  return domain;
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
  test('returns every field of the specification', async () => {
    const domain = await register();
    const sample = dmarcReport('2026-02-23', [
      row({ count: 2 }),
      row({ count: 1, ...failing, sourceIp: '2001:db8::1' }),
    ]);
    const { id } = await storeDmarc(reports, domain, sample);
    const { data, meta } = await read(domain, 'dmarc?includeRecords=true');
    expect(data.reports).toEqual([
      {
        id,
        reportId: 'report-1',
        orgName: 'Reporter',
        email: 'reports@reporter.example',
        extraContactInfo: null,
        dateRangeBegin: '2026-02-23T00:00:00.000Z',
        dateRangeEnd: '2026-02-23T23:59:59.000Z',
        policyDomain: 'example.org',
        policyP: 'reject',
        policySp: null,
        policyNp: null,
        policyAdkim: 'r',
        policyAspf: 'r',
        policyPct: 100,
        policyTesting: false,
        discoveryMethod: null,
        specification: 'RFC 7489',
        generator: null,
        totalCount: 3,
        passCount: 2,
        failCount: 1,
        recordCount: 2,
        receivedAt: '2026-03-01T06:00:00.000Z',
        authenticated: true,
        warnings: 0,
        records: [
          {
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            ...sample.rows[0],
            reportedDisposition: sample.rows[0]?.disposition,
          },
          {
            id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            ...sample.rows[1],
            reportedDisposition: sample.rows[1]?.disposition,
          },
        ],
      },
    ]);
    expect(data.reports[0].records[0].id).not.toBe(data.reports[0].records[1].id);
    expect(data.summary).toEqual({
      totalReports: 1,
      totalMessages: 3,
      passedMessages: 2,
      failedMessages: 1,
      passRate: 66.67,
    });
    expect(meta.pagination).toEqual({ page: 1, limit: 20, hasMore: false });
  });

  test('omits the records unless they are requested', async () => {
    const domain = await register();
    await storeDmarc(reports, domain, dmarcReport('2026-02-23'));
    for (const query of ['', '?includeRecords=false']) {
      expect((await read(domain, `dmarc${query}`)).data.reports[0]).not.toHaveProperty('records');
    }
  });

  test('returns only the reports that match its filters, with their totals', async () => {
    const domain = await register();
    const good = dmarcReport('2026-02-20', [row({ count: 2 })], { reportId: 'good', orgName: 'One' });
    const rows = [row({ count: 1, ...failing, sourceIp: '2001:db8::1' })];
    const bad = dmarcReport('2026-02-21', rows, { reportId: 'bad', orgName: 'Two' });
    const { id } = await storeDmarc(reports, domain, good);
    await storeDmarc(reports, domain, bad);
    const found = async (filter: string) => {
      const { data } = await read(domain, `dmarc?${filter}`);
      return [
        ...data.reports.map(({ reportId }: { reportId: string }) => reportId),
        data.summary.totalMessages,
      ];
    };
    expect(await found('reporter=one')).toEqual(['good', 2]);
    expect(await found('failing=true')).toEqual(['bad', 1]);
    expect(await found('failing=false')).toEqual(['bad', 'good', 3]);
    expect(await found('sourceIp=2001:DB8:0::1')).toEqual(['bad', 1]);
    expect(await found('reportId=bad')).toEqual(['bad', 1]);
    expect(await found(`reportId=${id}`)).toEqual(['good', 2]);
    expect(await found('reporter=one&failing=true')).toEqual([0]);
    for (const malformed of ['sourceIp=192.0.2.1/24', 'failing=1', 'reporter='])
      expect((await api.call('GET', path(domain, `dmarc?${malformed}`))).status).toBe(400);
  });

  test('returns an empty list and a pass rate of 0 for a domain without reports', async () => {
    const { data, meta } = await read(await register(), 'dmarc');
    expect(data).toEqual({
      reports: [],
      summary: { totalReports: 0, totalMessages: 0, passedMessages: 0, failedMessages: 0, passRate: 0 },
    });
    expect(meta.pagination.hasMore).toBe(false);
  });

  describe('over five days', () => {
    let domain: Domain;
    beforeAll(async () => {
      domain = await register();
      for (const day of [1, 2, 3, 4, 5]) {
        await storeDmarc(reports, domain, dmarcReport(`2026-02-0${day}T06:00:00Z`, [row({ count: day })]));
      }
    });
    const days = (data: { reports: { dateRangeBegin: string }[] }) =>
      data.reports.map(({ dateRangeBegin }) => Number(dateRangeBegin.slice(8, 10)));

    test('lists the newest reports first, in pages, each with the totals of all', async () => {
      for (const [page, expected, hasMore] of [
        [1, [5, 4], true],
        [2, [3, 2], true],
        [3, [1], false],
        [4, [], false],
      ] as const) {
        const { data, meta } = await read(domain, `dmarc?limit=2&page=${page}`);
        expect([days(data), data.summary.totalMessages]).toEqual([expected, 15]);
        const next = hasMore && { nextPageToken: expect.stringMatching(/^[\w-]+$/) };
        expect(meta.pagination).toEqual({ page, limit: 2, hasMore, ...next });
      }
    });

    test.each([
      ['startDate=2026-02-04', [5, 4]],
      ['endDate=2026-02-02', [2, 1]],
      ['startDate=2026-02-02&endDate=2026-02-03', [3, 2]],
      ['startDate=2026-02-03T06:00:00Z&endDate=2026-02-03T06:00:00Z', [3]],
      ['startDate=2026-02-03T06:00:01Z', [5, 4]],
      ['endDate=2026-02-03T05:59:59Z', [2, 1]],
      ['startDate=2026-02-05T07:00:00%2B01:00', [5]],
      ['startDate=2026-02-05T07:00:00+01:00', [5]],
      ['startDate=2026-02-05T01:00:00-05:00', [5]],
      ['startDate=2026-02-03T06:00:00&endDate=2026-02-03t06:00z', [3]],
      ['startDate=2026-02-03T06:00:00.001', [5, 4]],
      ['startDate=2027-01-01', []],
      ['startDate=1970-01-01&endDate=9999-12-31', [5, 4, 3, 2, 1]],
    ])('accepts %s, and totals the reports in that window', async (query, expected) => {
      const { data } = await read(domain, `dmarc?${query}`);
      expect(days(data)).toEqual(expected);
      expect(data.summary.totalMessages).toBe(expected.reduce((sum: number, day: number) => sum + day, 0));
    });

    test.each([
      ['startDate=yesterday', 'query.startDate'],
      ['startDate=', 'query.startDate'],
      ['startDate=2026-02-30', 'query.startDate'],
      ['startDate=2026-02-30T00:00', 'query.startDate'],
      ['startDate=2026-02-03T24:00', 'query.startDate'],
      ['startDate=2026-02-03T', 'query.startDate'],
      ['startDate=1767225600', 'query.startDate'],
      ['endDate=2026-13-01', 'query.endDate'],
      ['endDate=9999-12-31T23:59:59-01:00', 'query.endDate'],
      ['startDate=1969-12-31', 'query.startDate'],
      ['endDate=1970-01-01T00:00%2B00:01', 'query.endDate'],
      ["endDate=2026-01-01'%20OR%201=1", 'query.endDate'],
      [`endDate=${'9'.repeat(5000)}`, 'query.endDate'],
      ['startDate=2026-02-03&endDate=2026-02-02', 'query.startDate'],
      ['startDate=2026-02-03&startDate=2026-02-03', 'query.startDate'],
      ['includeRecords=yes', 'query.includeRecords'],
      ['includeRecords=', 'query.includeRecords'],
      ['includeRecords=TRUE', 'query.includeRecords'],
      ['limit=101', 'query.limit'],
      ['limit=0', 'query.limit'],
      ['page=-1', 'query.page'],
      ['page=1e3', 'query.page'],
    ])('rejects %s', async (query, where) => {
      const { status, body } = await api.call('GET', path(domain, `dmarc?${query}`));
      expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'invalid_request', where]);
    });
  });

  test.each(['dmarc', 'tls', 'dmarc/sources', 'dmarc/timeline'])(
    'rejects dates before 1970 for %s',
    async (rest) => {
      const domain = await register();
      const { status, body } = await api.call('GET', path(domain, `${rest}?endDate=0000-01-21`));
      expect([status, body.message]).toEqual([400, 'query.endDate: must not be before 1970']);
      expect((await api.call('GET', path(domain, `${rest}?endDate=1970-01-01`))).status).toBe(200);
    },
  );

  test('returns 404 for an unknown domain or a malformed ID, and 401 without a token', async () => {
    const domain = await register();
    for (const id of [crypto.randomUUID(), 'x', '%00', '..%2f']) {
      for (const rest of ['dmarc', 'tls', 'dmarc/sources', 'dmarc/timeline']) {
        expect((await api.call('GET', `/api/v1/domains/${id}/reports/${rest}`)).status).toBe(404);
      }
    }
    expect((await api.call('GET', path(domain, 'dmarc'), { token: null })).status).toBe(401);
  });

  test('returns 404 as soon as the domain is removed', async () => {
    const domain = await register();
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
    domain = await register();
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

  test.each(['', 'identity', 'gzip;q=0'])(
    'is rejected with alternatives for Accept-Encoding "%s"',
    async (accepted) => {
      const answer = await plain(url('includeRecords=true'), { 'accept-encoding': accepted });
      expect([answer.status, answer.headers['content-encoding']]).toEqual([413, undefined]);
      const { error } = JSON.parse(answer.body.toString());
      expect(error.code).toBe('payload_too_large');
      expect(error.message).toBe(
        'The response would be larger than 6 MB. To get a smaller response, use: Accept-Encoding: gzip (curl --compressed); Accept: text/csv, which is usually smaller; a smaller limit; a shorter window (startDate and endDate).',
      );
    },
  );

  test('for a single report is rejected without advice that would not help', async () => {
    const answer = await plain(url('includeRecords=true&startDate=2026-02-02'), {});
    expect([answer.status, JSON.parse(answer.body.toString()).message]).toEqual([
      413,
      'The response would be larger than 6 MB. To get a smaller response, use: Accept-Encoding: gzip (curl --compressed); Accept: text/csv, which is usually smaller.',
    ]);
  });

  test('can fit as CSV if it does not fit as JSON', async () => {
    const other = await register();
    await storeDmarc(reports, other, dmarcReport('2026-02-01', rows.slice(0, 20_000)));
    const at = (rest: string) => `${service.url}${path(other, `dmarc?limit=1${rest}`)}`;
    expect((await plain(at('&includeRecords=true'), {})).status).toBe(413);
    const table = await plain(at(''), { accept: 'text/csv' });
    expect([table.status, table.body.toString().split('\r\n').length]).toEqual([200, 20_002]);
  });

  test('is rejected as CSV, too, if it is too large', async () => {
    const answer = await plain(url(''), { accept: 'text/csv' });
    expect([answer.status, JSON.parse(answer.body.toString()).message]).toEqual([
      413,
      'The response would be larger than 6 MB. To get a smaller response, use: Accept-Encoding: gzip (curl --compressed); a smaller limit; a shorter window (startDate and endDate).',
    ]);
  });

  test('is small without the records', async () => {
    const answer = await plain(url(''), { 'accept-encoding': 'gzip' });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
  });
});

describe('CSV', () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await register();
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

  test.each([
    ['text/csv, application/json;q=0.9', 'text/csv'],
    ['text/csv, */*;q=0.1', 'text/csv'],
    ['application/json, text/csv;q=0.5', 'application/json'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv, application/json', 'application/json'],
    ['text/csv, */*', 'application/json'],
    ['text/csv;q=0.5, application/*;q=0.4, */*', 'text/csv'],
    ['text/csv;q=0', 'application/json'],
    ['text/*', 'application/json'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
  ])('is sent for Accept: "%s" only if it is preferred', async (accept, type) => {
    const { headers } = await asCsv('dmarc/timeline?startDate=2026-02-22&endDate=2026-02-23', accept);
    expect(String(headers['content-type'])).toMatch(new RegExp(`^${type}`));
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

describe('GET /domains/{id}/reports/dmarc/sources', () => {
  test('returns the sources with their pass rates and the days on which they were seen', async () => {
    const domain = await register();
    const sendgrid = { dkimResults: [{ domain: 'sendgrid.net', result: 'pass', selector: 's' }] };
    await storeDmarc(
      reports,
      domain,
      dmarcReport('2026-02-01', [row({ count: 1, sourceIp: '2001:db8:1:2::9' })]),
    );
    await storeDmarc(
      reports,
      domain,
      dmarcReport('2026-02-03', [
        row({ count: 8, ...sendgrid }),
        row({ count: 2, ...failing, disposition: 'reject' }),
        row({ count: 5, sourceIp: '' }),
      ]),
    );
    const { data, meta } = await read(
      domain,
      'dmarc/sources?startDate=2026-02-01&endDate=2026-02-03&limit=1',
    );
    expect(data.sources).toEqual([
      {
        sourceIp: '192.0.2.1',
        network: '192.0.2.0/24',
        provider: 'SendGrid',
        authenticatedAs: 'sendgrid.net',
        messages: 10,
        passedMessages: 8,
        failedMessages: 2,
        passRate: 80,
        dkimAligned: 8,
        spfAligned: 8,
        disposition: { none: 8, quarantine: 0, reject: 2 },
        firstSeen: '2026-02-03',
        lastSeen: '2026-02-03',
      },
    ]);
    expect([data.others.messages, data.summary.messages]).toEqual([5, 16]);
    expect(meta.pagination).toEqual({ page: 1, limit: 1, hasMore: true });
    const second = await read(domain, 'dmarc/sources?startDate=2026-02-01&endDate=2026-02-03&limit=1&page=2');
    expect(second.data.sources[0]).toMatchObject({
      sourceIp: '2001:db8:1:2::9',
      network: '2001:db8:1:2::/64',
    });
    expect(second.meta.pagination.hasMore).toBe(false);
  });

  test.each([
    ['startDate=2024-01-01&endDate=2026-01-01', 'query.startDate'],
    ['startDate=9999-01-01', 'query.startDate'],
    ['startDate=2026-02-03&endDate=2026-02-02', 'query.startDate'],
    ['endDate=never', 'query.endDate'],
  ])('rejects %s, as the timeline does', async (query, where) => {
    const domain = await register();
    for (const rest of ['sources', 'timeline']) {
      const { status, body } = await api.call('GET', path(domain, `dmarc/${rest}?${query}`));
      expect([status, body.error.details[0].path]).toEqual([400, where]);
    }
  });
});

describe('GET /domains/{id}/reports/dmarc/timeline', () => {
  test('has every day of the window, including those without reports', async () => {
    const domain = await register();
    await storeDmarc(
      reports,
      domain,
      dmarcReport('2026-02-01', [row({ count: 3, ...failing, disposition: 'quarantine' })]),
    );
    await storeDmarc(reports, domain, dmarcReport('2026-02-03', [row({ count: 1 })]));
    const { data } = await read(domain, 'dmarc/timeline?startDate=2026-02-01&endDate=2026-02-03');
    expect(
      data.days.map((day: { date: string; reports: number; messages: number }) => [
        day.date,
        day.reports,
        day.messages,
      ]),
    ).toEqual([
      ['2026-02-01', 1, 3],
      ['2026-02-02', 0, 0],
      ['2026-02-03', 1, 1],
    ]);
    expect(data.days[0].disposition).toEqual({ none: 0, quarantine: 3, reject: 0 });
    expect(data.summary).toMatchObject({ totalReports: 2, totalMessages: 4, passRate: 25 });
  });

  test('covers the last 30 days by default', async () => {
    const { data } = await read(await register(), 'dmarc/timeline');
    expect([data.days.length, data.endDate]).toEqual([30, new Date().toISOString().slice(0, 10)]);
    const { data: leap } = await read(
      await register(),
      'dmarc/timeline?startDate=2024-01-01&endDate=2024-12-31',
    );
    expect(leap.days.length).toBe(366);
  });
});

describe('GET /domains/{id}/reports/tls', () => {
  test('returns every field of the specification', async () => {
    const domain = await register();
    const failure = {
      resultType: 'certificate-expired',
      sendingMtaIp: '192.0.2.1',
      receivingMxHostname: 'mx.example.org',
      receivingMxHelo: null,
      receivingIp: null,
      failedSessionCount: 1,
      additionalInformation: null,
      failureReasonCode: null,
    };
    const given = policy({
      successCount: 2,
      failureCount: 1,
      mxHost: ['mx1.example.org', '*.example.net'],
      failureDetails: [failure],
    });
    const store = tlsReportStore(table, { retentionDays: 0 });
    const { id } = await storeTls(store, domain, tlsReport('2026-02-23', [given]));
    const { data, meta } = await read(domain, 'tls?includePolicies=true&startDate=2026-02-23');
    expect(data).toEqual({
      reports: [
        {
          id,
          reportId: 'tls-1',
          organizationName: 'Reporter',
          contactInfo: 'smtp@reporter.example',
          dateRangeBegin: '2026-02-23T00:00:00.000Z',
          dateRangeEnd: '2026-02-23T23:59:59.000Z',
          totalSuccessCount: 2,
          totalFailureCount: 1,
          policyCount: 1,
          receivedAt: '2026-03-01T06:00:00.000Z',
          authenticated: true,
          warnings: 0,
          policies: [
            {
              id: expect.stringMatching(/^[0-9a-f-]{36}$/),
              policyType: 'sts',
              policyDomain: 'example.org',
              policyString: ['version: STSv1', 'mode: enforce'],
              mxHost: 'mx1.example.org, *.example.net',
              mxHosts: ['mx1.example.org', '*.example.net'],
              successCount: 2,
              failureCount: 1,
              failureDetails: [failure],
            },
          ],
        },
      ],
      summary: {
        totalReports: 1,
        totalConnections: 3,
        successfulConnections: 2,
        failedConnections: 1,
        successRate: 66.67,
      },
    });
    expect(meta.pagination).toEqual({ page: 1, limit: 20, hasMore: false });
    expect((await read(domain, 'tls')).data.reports[0]).not.toHaveProperty('policies');
  });

  test('returns only the reports that match its filters, with their totals', async () => {
    const domain = await register();
    const store = tlsReportStore(table, { retentionDays: 0 });
    const good = tlsReport('2026-02-20', [policy({ successCount: 2 })], { reportId: 'good' });
    const bad = tlsReport('2026-02-21', [policy({ failureCount: 1 })], { reportId: 'bad' });
    for (const report of [good, bad]) await storeTls(store, domain, report);
    for (const [filter, shown] of [
      ['failing=true', ['bad']],
      ['reportId=good', ['good']],
      ['reporter=REPORTER', ['bad', 'good']],
      ['reporter=other', []],
    ] as const) {
      const { data } = await read(domain, `tls?${filter}`);
      expect(data.reports.map(({ reportId }: { reportId: string }) => reportId)).toEqual(shown);
      expect(data.summary.totalReports).toBe(shown.length);
    }
  });

  test('rejects values other than true and false', async () => {
    const { status, body } = await api.call('GET', path(await register(), 'tls?includePolicies=1'));
    expect([status, body.error.details[0].path]).toEqual([400, 'query.includePolicies']);
  });
});
