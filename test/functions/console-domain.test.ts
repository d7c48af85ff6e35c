/** The pages about a domain on real stores: what they show, what their forms do, and that nobody else sees them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  checkDomain,
  decideOnSender,
  previewFix,
  showOverview,
  showView,
  verifyDomain,
} from '../../functions/console-domain/rules.ts';
import { stepsOf } from '../../functions/console-domain/step-rules.ts';
import { domainViewQuery, domainViews } from '../../shared/api/console-domain.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import type { TokenInfo } from '../../shared/store/api-tokens.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { monitorStateReader } from '../../shared/store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { historyView } from '../kit/domain-views.ts';
import {
  dmarcReport,
  policy,
  registeredDomain,
  row,
  storeDmarc,
  storeTls,
  tlsReport,
} from '../kit/reports.ts';
import { perfectResults } from '../kit/results.ts';
import { type EmptyTable, emptyTable } from '../kit/table.ts';
import { zone } from '../kit/zone.ts';

const now = new Date('2026-03-01T06:00:00Z');
const kept = { retentionDays: 0 };

let table: EmptyTable;
let domain: Domain;
let stranger: Domain;
const rolledUp: object[] = [];

function dependencies() {
  const checks = checkStore(table);
  const [history, selectors] = [historyStore(table, kept), seenSelectorStore(table)];
  return {
    ...{ checks, history, selectors, summaries: summaryStore(table), decisions: decisionStore(table) },
    ...{ attention: attentionStore(table), ownership: ownershipStore(table) },
    ...{ domains: domainStore(table), assessments: assessmentStore(table, enforcement) },
    dmarcReports: dmarcReportStore(table, kept),
    nextPolicies: nextPolicyStore(table),
    reports: dmarcReportStore(table, kept),
    tlsReports: tlsReportStore(table, kept),
    stores: { checks, selectors, monitorStates: monitorStateReader(table) },
    rates: exactRateStore(table),
    limits: rateStore(table),
    reportsDomain: 'reports.example',
    naming: { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain: 'reports.example' },
    notifications: notificationSettingsStore(table),
    dns: zone({}),
    rollUps: { send: async (message: object) => void rolledUp.push(message) },
    clock: { now: () => now },
  };
}

/** The checks of these tests end before they ask the network anything. */
const unreached = { inspector: undefined as never, deps: undefined as never };

const tokenOf = ({ organization }: Domain, scope: TokenInfo['scope'] = 'write'): TokenInfo => ({
  ...{ id: 'token-1', hash: 'h', organization, name: 'me', scope, networks: [], creators: [] },
  ...{ createdAt: now.toISOString(), expiresAt: null, revokedAt: null },
});

const request = (of: Domain = domain, token = tokenOf(of)) => ({
  ...{ organization: of.organization, path: { id: domain.id }, token, formToken: 'f' },
});

const view = async (name: (typeof domainViews)[number], query: object = {}, of: Domain = domain) =>
  (
    await showView(
      { ...request(of), path: { id: domain.id, view: name }, query: domainViewQuery.parse(query) },
      dependencies(),
    )
  ).data;

beforeAll(async () => {
  table = await emptyTable({ now: () => now });
  domain = await registeredDomain(table);
  stranger = await registeredDomain(table, 'other.example');
  const { checks, history, dmarcReports, tlsReports } = dependencies();
  await checks.keep(domain, {
    checkedAt: '2026-02-28T08:00:00.000Z',
    results: perfectResults('sends-and-receives'),
    lookups: [],
  });
  for (const entry of historyView('v=spf1 -all').entries)
    await table.transact(history.writesOf(domain.id, { checks: entry }));
  const rows = [
    row({ count: 70 }),
    row({ count: 30, sourceIp: '203.0.113.9', dkim: 'fail', spf: 'fail', dkimResults: [], spfResults: [] }),
  ];
  await storeDmarc(dmarcReports, domain, dmarcReport('2026-02-27', rows), now);
  const failure = {
    ...{ resultType: 'starttls-not-supported', sendingMtaIp: null, receivingMxHelo: null, receivingIp: null },
    ...{ receivingMxHostname: 'mx1.example.org', failedSessionCount: 4 },
    ...{ additionalInformation: null, failureReasonCode: null },
  };
  const policies = [policy({ failureCount: 4, failureDetails: [failure], mxHost: [] })];
  await storeTls(tlsReports, domain, tlsReport('2026-02-27', policies), now);
});
afterAll(() => table.stop());

describe('the pages of a domain', () => {
  test('show its checks, reports and history', async () => {
    const overview = (await showOverview(request(), dependencies())).data;
    expect(overview).toContain('v=DMARC1; p=reject; rua=mailto:dmarc@example.org');
    expect(await view('dmarc')).toContain('203.0.113.0/24');
    expect(await view('tls')).toContain('The MX host did not offer STARTTLS');
    expect(await view('history')).toContain('v=DMARC1; p=none');
    expect(await view('enforcement')).toContain('The domain is protected');
  });

  test('show the messages of a long window, and the senders of its end', async () => {
    const of = async (startDate: string) => view('dmarc', { startDate, endDate: '2026-03-01' });
    expect(await of('2025-12-01')).not.toContain('last part of this period');
    const year = await of('2025-03-02');
    expect(year).toContain('last part of this period');
    expect(year).toContain('203.0.113.0/24');
  });

  test('depend on the window in the address', async () => {
    expect(await view('dmarc', { startDate: '2026-02-01', endDate: '2026-02-10' })).toContain(
      'No DMARC reports',
    );
    expect(await view('tls', { startDate: '2026-02-01', endDate: '2026-02-10' })).toContain('No TLS reports');
    await expect(view('dmarc', { startDate: '2024-01-01' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('simulate the records in the address, and say what is wrong with them', async () => {
    const trial = await view('enforcement', { dmarc: ' v=DMARC1; p=none ', spf: '' });
    expect(trial).toContain('Your records, simulated');
    expect(await view('enforcement', { dmarc: 'p=none' })).toContain('must start with');
  });

  test('recommend no record before the published one is known', async () => {
    const path = { id: stranger.id, view: 'enforcement' } as const;
    const query = domainViewQuery.parse({});
    const { data } = await showView({ ...request(stranger), path, query }, dependencies());
    expect(data).toContain('The DMARC record is not known');
    expect(data).not.toContain('Record to publish');
  });

  test('are not those of another organization', async () => {
    const foreign = request(stranger);
    const form = {
      sender: 'a',
      status: 'approved',
      startDate: '2026-02-01',
      endDate: '2026-02-28',
      page: 1,
      formToken: 'f',
    } as const;
    const deps = { ...dependencies(), ...unreached };
    const attempts = [
      showOverview(foreign, deps),
      ...domainViews.map((name) => view(name, {}, stranger)),
      decideOnSender({ ...foreign, form }, deps),
      checkDomain(foreign, deps),
      previewFix({ ...foreign, form: { change: 'safe:example.org:TXT', formToken: 'f' } }, deps),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
  });

  test('offer no changes to a token that can only read', async () => {
    const shown = await showOverview(request(domain, tokenOf(domain, 'read')), dependencies());
    expect(shown.data).toContain('read-only token');
    expect(shown.data).not.toContain('Check now');
  });
});

describe('a decision about a sender', () => {
  const idOf = async (name: string) => {
    const html = await view('dmarc');
    const card = html.slice(html.lastIndexOf('<li class="card"', html.indexOf(name)));
    return /id="sender-([^"]+)"/.exec(card)?.[1] ?? '';
  };
  const decide = (sender: string, status: 'approved' | 'unauthorized' | 'none') =>
    decideOnSender(
      {
        ...request(),
        form: { sender, status, startDate: '2026-02-01', endDate: '2026-02-28', page: 1, formToken: 'f' },
      },
      dependencies(),
    );

  test('leads to the page of the same window, which offers to undo it', async () => {
    const sender = await idOf('203.0.113.0/24');
    const reply = await decide(sender, 'unauthorized');
    expect(reply.subjects).toEqual([{ id: domain.id, name: 'example.org: 203.0.113.0/24' }]);
    const { pathname, searchParams } = new URL(reply.headers?.location ?? '', 'https://console.example');
    expect(pathname).toBe(`/console/domains/${domain.id}/dmarc`);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ startDate: '2026-02-01', endDate: '2026-02-28', page: '1', changed: sender, was: 'none' },
    });
    expect((await decisionStore(table).list(domain.id)).get(sender)).toMatchObject({
      ...{ status: 'unauthorized', changedBy: 'token-1' },
    });
    // The domain is assessed again, which closes what the decision settles.
    const { id, organization, domain: name } = domain;
    expect(rolledUp).toEqual([
      { domain: { id, organization, domain: name }, day: '2026-03-01', earlier: true },
    ]);
    const page = await view('dmarc', Object.fromEntries(searchParams));
    expect(page).toContain('is now unauthorized');
    expect(page).toMatch(/name="status" value="none" [^>]*>Undo/);
    await decide(sender, 'none');
    expect((await decisionStore(table).list(domain.id)).get(sender)?.status).toBeNull();
  });

  test('about a sender that no report shows is not found', async () => {
    await expect(decide('domain-unknown', 'unauthorized')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('approves no mail of other customers of a provider', async () => {
    await expect(decide('others-a', 'approved')).rejects.toMatchObject({
      ...{ code: 'invalid_request', message: expect.stringContaining('every customer of the provider') },
    });
    expect((await decisionStore(table).list(domain.id)).get('others-a')).toBeUndefined();
  });
});

test('a change that is no longer recommended has no preview', async () => {
  const form = { change: 'safe:gone.example.org:TXT', formToken: 'f' };
  await expect(previewFix({ ...request(), form }, { ...dependencies(), ...unreached })).rejects.toMatchObject(
    {
      code: 'not_found',
      message: 'The change is no longer recommended.',
    },
  );
});

describe('the first steps', () => {
  const overview = async (dns = zone({})) => (await showOverview(request(), { ...dependencies(), dns })).data;
  const mailbox = () => `mailto:${domain.mailbox}@reports.example`;
  const published = () => ({
    [`_svc.${domain.domain}`]: { TXT: [`svc-verify=${domain.verificationToken}`] },
    [`_dmarc.${domain.domain}`]: { TXT: [`v=DMARC1; p=none; rua=${mailbox()}`] },
    [`_smtp._tls.${domain.domain}`]: { TXT: [`v=TLSRPTv1; rua=${mailbox()}`] },
  });

  test('show the records to publish, and what DNS shows instead', async () => {
    const shown = await overview(zone({ [`_dmarc.${domain.domain}`]: { TXT: ['v=DMARC1; p=none'] } }));
    expect(shown).toContain(`svc-verify=${domain.verificationToken}`);
    expect(shown).toContain('was not found');
    expect(shown).toContain('a record that does not name');
    expect(shown).toContain('data-state="000"');
  });

  test('say that a lookup failed, instead of that there is no record', async () => {
    const shown = await overview(
      zone({ [`_dmarc.${domain.domain}`]: 'SERVFAIL', [`_svc.${domain.domain}`]: 'SERVFAIL' }),
    );
    expect(shown).toContain('lookup failed');
    expect(shown).not.toContain('was not found');
  });

  test('are ticked beside other TXT records of the name', async () => {
    const records = published();
    const { TXT } = records[`_dmarc.${domain.domain}`] ?? { TXT: [] };
    const dns = zone({ ...records, [`_dmarc.${domain.domain}`]: { TXT: ['an older note', ...TXT] } });
    expect((await overview(dns)).match(/data-state="(\d+)"/)?.[1]).toBe('011');
  });

  test('are ticked when DNS shows the records; ownership is when somebody verifies it', async () => {
    const dns = zone(published());
    expect(await overview(dns)).toContain('press Verify');
    const before = (await overview(dns)).match(/data-state="(\d+)"/)?.[1];
    expect(before).toBe('011');
    const receiving = { ...domain, usageType: 'sends-and-receives' } as const;
    const steps = await stepsOf(receiving, { changes: [] }, { ...dependencies(), dns });
    expect(steps.map(({ id, seen }) => [id, seen])).toEqual([
      ['ownership', true],
      ['dmarc', true],
      ['tls', true],
    ]);
    const refused = await verifyDomain(request(), dependencies());
    expect(refused).toMatchObject({
      ...{ headers: { location: `/console/domains/${domain.id}` }, subjects: [] },
    });
    await expect(verifyDomain(request(stranger), dependencies())).rejects.toMatchObject({
      code: 'not_found',
    });
    const verified = await verifyDomain(request(), { ...dependencies(), dns });
    expect(verified).toMatchObject({
      ...{ headers: { location: `/console/domains/${domain.id}` }, subjects: [{ name: 'example.org' }] },
    });
    expect(await overview(dns)).not.toContain('First steps');
  });
});
