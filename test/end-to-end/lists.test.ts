/** Lists that are read page by page with `pageToken` while rows are added, and the filters by time. */
import { describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { recordAudit } from '../../shared/store/audit.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../../shared/store/reports/mail-outcomes.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { reportAlertDraft } from '../kit/alerts.ts';
import { raiseAlert } from '../kit/alongside.ts';
import { register } from '../kit/register.ts';
import { dmarcReport, row, storeDmarc, storeTls, tlsReport } from '../kit/reports.ts';
import { foreignToken, serviceTable, storedDomain } from '../kit/service-table.ts';
import { use } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const organization = 'default';
const kept = { retentionDays: 0 };
const HOUR = 3_600_000;
/** A time of the last days; later numbers are later times. */
const begin = Date.now() - 5 * 24 * HOUR;
const at = (n: number) => new Date(begin + n * HOUR);

const { service, api } = await useApi({ API_RATE_PER_MINUTE: '0' });
const table = await use(serviceTable(service));
const alerts = alertStore(table, kept);
const domain = await storedDomain(table, (await register(api, 'example.org')).id);
/** A token of another organization. */
const foreign = await foreignToken(table);

interface Row {
  readonly id: string;
}

interface List {
  readonly path: () => string;
  /** Adds the row with a number; rows with a higher one come first. */
  readonly add: (n: number) => Promise<unknown>;
  readonly rowsOf?: (data: { reports: Row[] }) => Row[];
}

const deliveryAt = (n: number) => ({
  id: uuidv7({ msecs: at(n).getTime() }),
  createdAt: at(n).toISOString(),
});

const lists: Readonly<Record<string, List>> = {
  alerts: {
    path: () => '/api/v1/alerts?severity=warning',
    add: (n) => raiseAlert({ table, alerts }, domain, reportAlertDraft(`alert ${n}`, 'warning'), at(n)),
  },
  'unread alerts of a domain': {
    path: () => `/api/v1/alerts?severity=critical&unreadOnly=true&domainId=${domain.id}`,
    add: (n) => raiseAlert({ table, alerts }, domain, reportAlertDraft(`critical ${n}`, 'critical'), at(n)),
  },
  audit: {
    path: () => '/api/v1/audit',
    async add(n) {
      const nothing = { token: null, subject: null, name: null, clientAddress: null };
      const entry = { at: at(n).toISOString(), action: `action ${n}`, ...nothing };
      await recordAudit(table, organization, [entry], 0);
    },
  },
  deliveries: {
    path: () => '/api/v1/deliveries',
    add: (n) => deliveryStore(table).createTest({ ...deliveryAt(n), organization, channel: 'mail' }),
  },
  'deliveries by webhook': {
    path: () => '/api/v1/deliveries?channel=webhook&status=pending',
    async add(n) {
      for (const channel of ['webhook', 'mail'] as const)
        await deliveryStore(table).createTest({ ...deliveryAt(n), organization, channel });
    },
  },
  'report mails': {
    path: () => `/api/v1/domains/${domain.id}/reports/mails`,
    add: (n) => addMail(n, 'accepted'),
  },
  'report mails with an outcome': {
    path: () => `/api/v1/domains/${domain.id}/reports/mails?outcome=unreadable`,
    async add(n) {
      await addMail(n, 'unreadable');
      await addMail(n, 'duplicate');
    },
  },
  'DMARC reports': {
    path: () => `/api/v1/domains/${domain.id}/reports/dmarc`,
    add: (n) => addReport(n, 'Reporter'),
    rowsOf: ({ reports }) => reports,
  },
  'DMARC reports of a reporter': {
    path: () => `/api/v1/domains/${domain.id}/reports/dmarc?reporter=google.com`,
    async add(n) {
      await addReport(n, 'google.com');
      await addReport(n, 'Others');
    },
    rowsOf: ({ reports }) => reports,
  },
  'TLS reports': {
    path: () => `/api/v1/domains/${domain.id}/reports/tls`,
    add: (n) =>
      storeTls(
        tlsReportStore(table, kept),
        domain,
        tlsReport(at(n).toISOString(), undefined, { reportId: `tls-${n}` }),
      ),
    rowsOf: ({ reports }) => reports,
  },
};

const addReport = (n: number, orgName: string) =>
  storeDmarc(
    dmarcReportStore(table, kept),
    domain,
    dmarcReport(at(n).toISOString(), [row({ count: 1 })], { reportId: `${orgName}-${n}`, orgName }),
  );

const addMail = (n: number, kind: 'accepted' | 'unreadable' | 'duplicate') =>
  mailOutcomeStore(table, kept).store(domain, {
    messageId: `m-${n}-${kind}`,
    receivedAt: at(n),
    rawKey: `reports/m-${n}-${kind}`,
    alsoFor: [],
    authentication: null,
    from: null,
    subject: null,
    outcomes: [{ kind, source: 'mail', reason: kind === 'accepted' ? null : 'why' }],
  });

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

describe.each(Object.entries(lists))('the list of %s', (_name, { path, add, rowsOf }) => {
  const get = async (query: string, token?: string) => {
    const answer = await api.call('GET', withQuery(path(), query), { ...(token && { token }) });
    return {
      ...answer,
      rows: (answer.status === 200 ? (rowsOf?.(answer.body.data) ?? answer.body.data) : []) as Row[],
      pagination: answer.body.meta?.pagination,
    };
  };

  test('shows each row once, while others are added before and after', async () => {
    for (let n = 1; n <= 10; n += 1) await add(2 * n);
    const before = (await get('limit=100')).rows.map(({ id }) => id);
    expect(before.length).toBeGreaterThanOrEqual(10);

    const seen: string[] = [];
    let query = 'limit=3';
    for (let step = 0; ; step += 1) {
      const { rows, pagination, headers } = await get(query);
      seen.push(...rows.map(({ id }) => id));
      expect(pagination).toMatchObject({ page: step + 1, limit: 3 });
      if (!pagination.hasMore) {
        expect(pagination).not.toHaveProperty('nextPageToken');
        break;
      }
      // Newer rows move all numbers of pages, and one row lands among those that were read.
      await add(30 + 2 * step);
      if (step === 1) await add(19);
      const next = encodeURIComponent(pagination.nextPageToken);
      expect(headers.get('link')).toContain(`pageToken=${next}>; rel="next"`);
      query = `limit=3&pageToken=${next}`;
    }
    expect(seen.length).toBe(new Set(seen).size);
    expect(seen.filter((id) => before.includes(id))).toEqual(before);
  });

  test('rejects tokens that are not its own', async () => {
    const { nextPageToken } = (await get('limit=2')).pagination;
    const octets = Buffer.from(nextPageToken, 'base64url');
    octets[octets.length - 3] = (octets.at(-3) ?? 0) ^ 1;
    const forged = octets.toString('base64url');
    const made = Buffer.from(JSON.stringify({ page: 2, after: '0' })).toString('base64url');
    for (const [query, token] of [
      [`pageToken=${forged}`],
      [`pageToken=${made}`],
      ['pageToken=x'],
      ['pageToken='],
      [`pageToken=${nextPageToken}&page=2`],
      // Another organization has no such domain, which comes first.
      ...(/domains\/|domainId/.test(path()) ? [] : [[`pageToken=${nextPageToken}`, foreign] as const]),
    ] as const) {
      const refused = await get(query, token);
      expect([query, refused.status]).toEqual([query, 400]);
      expect(refused.body.error.details).toEqual([
        { path: expect.stringMatching(/^query\.page/), message: expect.any(String) },
      ]);
    }
    // The number of rows may change, and nothing else.
    expect((await get(`limit=5&pageToken=${nextPageToken}`)).rows.length).toBe(5);
  });
});

test('a token of one list is not one of another list, domain or filter', async () => {
  const tokenOf = async (path: string) =>
    (await api.call('GET', withQuery(path, 'limit=1'))).body.meta.pagination.nextPageToken;
  const { id } = await register(api, 'example.net');
  const reports = `/api/v1/domains/${domain.id}/reports`;
  for (const [from, to] of [
    ['/api/v1/audit', '/api/v1/deliveries'],
    ['/api/v1/alerts', '/api/v1/alerts?unreadOnly=true'],
    ['/api/v1/alerts', `/api/v1/alerts?domainId=${domain.id}`],
    ['/api/v1/deliveries', '/api/v1/deliveries?channel=mail'],
    ['/api/v1/audit', '/api/v1/audit?since=2026-01-01'],
    [`${reports}/mails`, `/api/v1/domains/${id}/reports/mails`],
    [`${reports}/dmarc`, `${reports}/tls`],
    [`${reports}/dmarc`, `${reports}/dmarc?failing=true`],
  ] as const) {
    const { status } = await api.call('GET', withQuery(to, `pageToken=${await tokenOf(from)}`));
    expect([from, to, status]).toEqual([from, to, 400]);
  }
  const grouped = `/api/v1/alerts?groupBy=cause&pageToken=${await tokenOf('/api/v1/alerts')}`;
  expect((await api.call('GET', grouped)).body.error.message).toContain('groupBy');
});

describe('since and until', () => {
  test.each([
    ['/api/v1/alerts?severity=warning', 'createdAt'],
    ['/api/v1/alerts?severity=info', 'createdAt'],
    ['/api/v1/deliveries', 'createdAt'],
    ['/api/v1/deliveries?status=pending', 'createdAt'],
    ['/api/v1/audit', 'at'],
  ])('of %s include both ends', async (path, field) => {
    const times = async (query: string) => {
      const { body } = await api.call('GET', withQuery(path, `limit=100&${query}`));
      return body.data.map((one: Record<string, string>) => one[field]);
    };
    const all = await times('');
    const [from, to] = [at(6).toISOString(), at(12).toISOString()];
    const within = all.filter((time: string) => time >= from && time <= to);
    expect(await times(`since=${from}&until=${to}`)).toEqual(within);
    expect(await times(`since=${from}`)).toEqual(all.filter((time: string) => time >= from));
    const justBefore = new Date(at(12).getTime() - 1).toISOString();
    expect(await times(`until=${justBefore}`)).toEqual(all.filter((time: string) => time < to));
    // A date means the whole day.
    const day = from.slice(0, 10);
    expect(await times(`since=${day}&until=${day}`)).toEqual(
      all.filter((time: string) => time.startsWith(day)),
    );
    const wrong = await api.call('GET', withQuery(path, `since=${to}&until=${from}`));
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'query.since']);
  });

  test('of the audit log are also startDate and endDate, but not both', async () => {
    const get = (query: string) => api.call('GET', `/api/v1/audit?limit=100&${query}`);
    const [from, to] = [at(6).toISOString(), at(12).toISOString()];
    const named = await get(`startDate=${from}&endDate=${to}`);
    expect(named.body.data).toEqual((await get(`since=${from}&until=${to}`)).body.data);
    expect(named.body.data.length).toBeGreaterThan(2);
    expect((await get(`since=${from}&startDate=${from}`)).status).toBe(400);
    expect((await get(`until=${to}&endDate=${to}`)).status).toBe(400);
    expect((await get(`since=${to}&endDate=${from}`)).status).toBe(400);
  });
});

test('entries of the audit log have IDs of their own', async () => {
  const { data } = (await api.call('GET', '/api/v1/audit?limit=100')).body;
  const ids = data.map(({ id }: Row) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});
