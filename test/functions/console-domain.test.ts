/** The pages about a domain on real stores: what they show, what their forms do, and that nobody else sees them. */

import { describe, expect, test } from '@jest/globals';
import { handler as askAboutDomain } from '../../functions/console-domain/ask.ts';
import { handler as decideOnSender } from '../../functions/console-domain/decide-on-sender.ts';
import { handler as deleteInConsole } from '../../functions/console-domain/delete.ts';
import { handler as showOverview } from '../../functions/console-domain/overview.ts';
import { handler as previewInConsole } from '../../functions/console-domain/preview.ts';
import { handler as saveSettings } from '../../functions/console-domain/save-settings.ts';
import { handler as showSettings } from '../../functions/console-domain/settings.ts';
import { handler as showView } from '../../functions/console-domain/view.ts';
import { domainViewQuery, type domainViews } from '../../shared/api/console-domain.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { verifyDomain } from '../../shared/operations/domains/verify-domain.ts';
import { operatorFor } from '../../shared/operations/operation.ts';
import { viewDocument } from '../../shared/pages/console/domain/document.ts';
import { readIpData } from '../../shared/protocol/ip-data.ts';
import type { Scope } from '../../shared/protocol/scope.ts';
import type { EndpointHandler } from '../../shared/runtime/http/endpoint.ts';
import { accepted } from '../../shared/runtime/http/reply.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { evidenceStore } from '../../shared/store/check-runs/evidence.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { mailOutcomeStore } from '../../shared/store/reports/mail-outcomes.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { formTokenOf, sessionStore } from '../../shared/store/sessions.ts';
import { signingKeyStore } from '../../shared/store/signing-keys.ts';
import { stepsOf } from '../../shared/views/domain/first-steps.ts';
import { domainView } from '../../shared/views/domain/view.ts';
import { consoleTable, follow, type Sent, send } from '../kit/console.ts';
import { historyView } from '../kit/domain-views.ts';
import { mmdb } from '../kit/mmdb.ts';
import {
  dmarcReport,
  policy,
  registeredDomain,
  row,
  storeDmarc,
  storeTls,
  tlsReport,
} from '../kit/reports.ts';
import { perfectResults, spfResult } from '../kit/results.ts';
import { testSigner } from '../kit/signer.ts';
import { use } from '../kit/use.ts';
import { zone } from '../kit/zone.ts';

const now = new Date('2026-03-01T06:00:00Z');
const kept = { retentionDays: 0 };

const rolledUp: object[] = [];
const networks = { '203.0.113.0/24': { asn: 'AS64500', as_name: 'Some <Host>', country: 'DE' } };

function dependencies() {
  const checks = checkStore(table);
  const [history, selectors] = [historyStore(table, kept), seenSelectorStore(table)];
  return {
    ...{ checks, history, selectors, summaries: summaryStore(table), decisions: decisionStore(table) },
    ...{ attention: attentionStore(table), ownership: ownershipStore(table) },
    ...{ domains: domainStore(table), assessments: assessmentStore(table, enforcement) },
    compliance: complianceSettingsStore(table),
    evidence: evidenceStore(table, kept),
    signed: () => {
      const { domains, evidence, clock, ...plan } = dependencies();
      const keys = { signer: testSigner(), signingKeys: signingKeyStore(table) };
      const mails = mailOutcomeStore(table, kept);
      return {
        ...keys,
        issuer: 'https://m.example',
        extraRoots: () => [],
        domains,
        evidence,
        clock,
        plan,
        mails,
      };
    },
    dmarcReports: dmarcReportStore(table, kept),
    nextPolicies: nextPolicyStore(table),
    reports: dmarcReportStore(table, kept),
    tlsReports: tlsReportStore(table, kept),
    ipData: readIpData([{ path: 'asn', bytes: mmdb('Example-ASN', '2026-02-20', networks) }]),
    reportsDomain: 'reports.example',
    naming: { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain: 'reports.example' },
    notifications: notificationSettingsStore(table),
    dns: zone({}),
    rollUps: { send: async (message: object) => void rolledUp.push(message) },
    clock: { now: () => now },
  };
}

/** The checks of these tests end before they ask the network or count anything. */
const unreached = () => ({
  ...dependencies(),
  ...{ checkContext: undefined as never, stores: undefined as never },
  ...{ rates: undefined as never, limits: undefined as never },
});

/** Sends a request about the domain of these tests in a session of the organization that owns `of`. */
async function request<Dependencies>(
  handler: EndpointHandler<Dependencies>,
  { of = domain, scope = 'write', form, ...sent }: Sent & { of?: Domain; scope?: Scope } = {},
) {
  const given = { name: 'me', label: 'svc', scope } as const;
  const { info } = await organizationStore(table).createToken(of.organization, given, new Date());
  const cookie = await sessionStore(table).start(info, 'Browser', new Date());
  const filled = form && { ...form, formToken: formTokenOf(cookie) };
  const {
    statusCode,
    headers = {},
    body = '',
  } = await send(handler, {
    ...{ id: domain.id, ...sent, cookie, headers: { 'sec-fetch-site': 'same-origin' } },
    ...(filled && { form: filled }),
  });
  return { statusCode, location: String(headers.location), data: body, token: info, cookie };
}

const overviewFor = (sent: Parameters<typeof request>[1] = {}, deps = dependencies()) =>
  request(showOverview.with(deps), sent);

const viewFor = (name: (typeof domainViews)[number], query: object = {}, of: Domain = domain) =>
  request(showView.with(dependencies()), {
    of,
    params: { view: name },
    query: new URLSearchParams({ ...query }).toString(),
  });

const view = async (...given: Parameters<typeof viewFor>) => (await viewFor(...given)).data;

const table = await use(consoleTable());
const domain = await registeredDomain(table);
const stranger = await registeredDomain(table, 'other.example');
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

describe('the pages of a domain', () => {
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
    expect(await viewFor('dmarc', { startDate: '2024-01-01' })).toMatchObject({ statusCode: 400 });
  });

  test('recommend no record before the published one is known', async () => {
    const query = domainViewQuery.parse({});
    const shown = await domainView(stranger, 'enforcement', query, dependencies());
    const visitor = { canWrite: true, formToken: 'f' };
    const data = viewDocument(stranger, visitor, accepted(shown));
    expect(data).toContain('The DMARC record is not known');
    expect(data).not.toContain('Record to publish');
  });

  test('take no decision from another organization', async () => {
    const of = stranger;
    const window = { startDate: '2026-02-01', endDate: '2026-02-28', page: '1' };
    const form = { ids: 'a', status: 'approved', ...window };
    const decided = await request(decideOnSender.with(dependencies()), { of, form });
    expect(decided.location).toMatch(/\/dmarc\?flash=/);
    expect((await decisionStore(table).list(domain.id)).get('a')).toBeUndefined();
  });
});

describe('a decision about a sender', () => {
  const idOf = async (name: string) => {
    const html = await view('dmarc');
    const row = html.slice(html.lastIndexOf('<tr id=', html.indexOf(`>${name}<`)));
    return /id="sender-([^"]+)"/.exec(row)?.[1] ?? '';
  };
  const submit = (given: Readonly<Record<string, string>>) =>
    request(decideOnSender.with(dependencies()), {
      form: { startDate: '2026-02-01', endDate: '2026-02-28', page: '1', ...given },
    });
  const decide = (sender: string, status: 'approved' | 'unauthorized' | 'none') =>
    submit({ decisions: `${sender}:${status}` });

  test('leads to the page of the same window, which offers to undo it', async () => {
    const sender = await idOf('203.0.113.0/24');
    const reply = await decide(sender, 'unauthorized');
    const { entries } = await auditStore(table).list(
      domain.organization,
      {},
      { page: 1, limit: 1 },
      new Date(),
    );
    expect(entries).toMatchObject([
      {
        action: 'updateSenders',
        subject: domain.id,
        name: 'example.org: 203.0.113.0/24',
        token: reply.token.id,
      },
    ]);
    const { pathname, searchParams } = new URL(reply.location, 'https://console.example');
    expect(pathname).toBe(`/console/domains/${domain.id}/dmarc`);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ startDate: '2026-02-01', endDate: '2026-02-28', page: '1', changed: `${sender}:none` },
    });
    expect((await decisionStore(table).list(domain.id)).get(sender)).toMatchObject({
      ...{ status: 'unauthorized', changedBy: reply.token.id },
    });
    // The domain is assessed again, which closes what the decision settles.
    const { id, organization, domain: name } = domain;
    expect(rolledUp).toEqual([
      { domain: { id, organization, domain: name }, kind: 'DMARC', day: '2026-03-01', earlier: true },
    ]);
    const page = await view('dmarc', Object.fromEntries(searchParams));
    expect(page).toContain('Unknown server, AS64500 Some &lt;Host&gt;, Germany<');
    expect(page).toContain(`name="decisions" value="${sender}:none" data-busy="Undoing…">Undo`);
    await decide(sender, 'none');
    expect((await decisionStore(table).list(domain.id)).get(sender)?.status).toBeNull();
  });

  test('about several that are ticked is undone for each as it was', async () => {
    const [one, two] = [await idOf('203.0.113.0/24'), await idOf('192.0.2.0/24')];
    await decide(one, 'unauthorized');
    const ticked = { [`on_${one}`]: 'on', [`on_${two}`]: 'on' };
    const reply = await submit({ ...ticked, on: 'enforcement', status: 'forwarder' });
    const statusesOf = async () => {
      const decided = await decisionStore(table).list(domain.id);
      return [one, two].map((id) => decided.get(id)?.status ?? null);
    };
    expect(await statusesOf()).toEqual(['forwarder', 'forwarder']);
    const { pathname, searchParams } = new URL(reply.location, 'https://console.example');
    expect(pathname).toBe(`/console/domains/${domain.id}/enforcement`);
    const page = await view('enforcement', Object.fromEntries(searchParams));
    expect(page).toContain('2 senders are now forwarders');
    const [, undo = ''] = /name="decisions" value="([^"]+)" data-busy="Undoing…"/.exec(page) ?? [];
    await submit({ decisions: undo });
    expect(await statusesOf()).toEqual(['unauthorized', null]);
    await decide(one, 'none');
  });

  test('about none says what to tick', async () => {
    const { location, cookie } = await submit({ status: 'approved' });
    const query = location.split('?')[1] ?? '';
    const shown = await send(showView.with(dependencies()), {
      ...{ id: domain.id, params: { view: 'dmarc' }, cookie, query },
    });
    expect(shown.body).toContain('must have at least one sender: tick the boxes of the table');
  });

  test('about some that cannot be made says how many were', async () => {
    const sender = await idOf('203.0.113.0/24');
    const { location, cookie } = await submit({ decisions: `others-a:approved,${sender}:approved` });
    const query = location.split('?')[1] ?? '';
    const shown = await send(showView.with(dependencies()), {
      ...{ id: domain.id, params: { view: 'dmarc' }, cookie, query },
    });
    expect(shown.body).toContain('1 of 2 decisions are saved. The decision must not be approved');
    await decide(sender, 'none');
  });
});

test('a change that is no longer recommended has no preview', async () => {
  const query = 'change=safe:gone.example.org:TXT';
  expect(await request(previewInConsole.with(unreached()), { query })).toMatchObject({
    ...{ statusCode: 404, data: expect.stringContaining('The change is no longer recommended.') },
  });
});

describe('the first steps', () => {
  const overview = async (dns = zone({})) => (await overviewFor({}, { ...dependencies(), dns })).data;
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

  test('say that a lookup took too long', async () => {
    const silent = { lookup: () => new Promise<never>(() => {}) };
    const steps = await stepsOf(domain, { changes: [] }, { ...dependencies(), dns: silent });
    expect(steps.map(({ seen, problem }) => [seen, problem?.split('.')[0]])).toEqual(
      Array(steps.length).fill([null, 'The lookup failed or took too long']),
    );
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
    const verify = ({ organization }: Domain, deps = dependencies()) =>
      verifyDomain(operatorFor(organization), { id: domain.id }, deps);
    expect(await verify(domain)).toMatchObject({ value: { verified: false }, subjects: [] });
    expect(await verify(stranger)).toMatchObject({ code: 'not_found' });
    expect(await verify(domain, { ...dependencies(), dns })).toMatchObject({
      ...{ value: { verified: true }, subjects: [{ name: 'example.org' }] },
    });
    expect(await overview(dns)).not.toContain('First steps');
  });
});

describe('the settings of a domain', () => {
  const settings = () => request(showSettings.with(dependencies()));
  const save = (form: Readonly<Record<string, string>>, more: Parameters<typeof request>[1] = {}) =>
    request(saveSettings.with(dependencies()), { ...more, form });
  const pageAfter = async ({ location, cookie }: Awaited<ReturnType<typeof save>>) =>
    (
      await follow(
        showSettings.with(dependencies()),
        { statusCode: 303, headers: { location } },
        { id: domain.id, cookie },
      )
    ).body ?? '';
  const stored = async () => domainStore(table).get(domain.organization, domain.id);

  test('are changed in a form, which shows what is stored', async () => {
    const fields = { usageType: 'sends-and-receives', testEmailLocalPart: 'test', tags: 'shop, <b>eu</b>' };
    const saved = await save({ ...fields, dkimSelectors: 'S1, s2 s1' });
    expect(saved.location).toMatch(new RegExp(`^/console/domains/${domain.id}/settings\\?flash=`));
    expect(await pageAfter(saved)).toContain('The settings of the domain are saved.');
    expect(await stored()).toMatchObject({
      ...{ testEmailLocalPart: 'test', tags: ['shop', '<b>eu</b>'], dkimSelectors: ['s1', 's2'] },
    });
    const { data } = await settings();
    expect(data).toContain('value="shop, &lt;b&gt;eu&lt;/b&gt;"');
    expect(data).toContain('value="s1, s2"');
    expect(data).toContain(`${domain.mailbox}@reports.example`);
    expect(await stored()).not.toHaveProperty('badgeToken');
  });

  test('have a badge for verified domains only, whose end is asked for', async () => {
    const { id, organization } = await registeredDomain(table, 'unverified.example');
    const of = { of: { ...domain, organization }, id };
    const shown = await request(showSettings.with(dependencies()), of);
    expect(shown.data).toContain('Only verified domains can have one.');
    const refused = await save({ badge: 'on' }, of);
    const sent = { id, cookie: refused.cookie };
    const headers = { location: refused.location };
    const page = await follow(showSettings.with(dependencies()), { statusCode: 303, headers }, sent);
    expect(page.body).toContain('The badge can be true only for a verified domain.');

    expect((await stored())?.verified).toBe(true);
    const before = await stored();
    expect(await pageAfter(await save({ badge: 'on' }))).toContain('https://m.example/badge/');
    const asked = await request(askAboutDomain.with(dependencies()), { query: 'about=badge' });
    expect(asked.data).toContain('name="badge" value="off"');
    await save({ badge: 'off' });
    expect({ ...(await stored()), updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
  });

  test('lead to a page that asks before the domain is deleted, with everything', async () => {
    const doomed = await registeredDomain(table, 'doomed.example');
    const sent: object[] = [];
    const send = async (message: object) => void sent.push(message);
    const deletions = { send, sendBatch: () => Promise.reject(new Error('unused')), size: async () => 0 };
    const of = { of: doomed, id: doomed.id };
    const asked = await request(askAboutDomain.with(dependencies()), { ...of, query: 'about=delete' });
    expect(asked.data).toContain(`action="/console/domains/${doomed.id}/delete"`);
    expect(asked.data).toContain('This cannot be undone.');
    const strange = await request(deleteInConsole.with({ ...dependencies(), deletions }), {
      ...{ of: stranger, id: doomed.id, form: {} },
    });
    expect([strange.statusCode, sent]).toEqual([303, []]);
    const deleted = await request(deleteInConsole.with({ ...dependencies(), deletions }), {
      ...of,
      form: {},
    });
    expect(deleted.location).toMatch(/^\/console\?flash=/);
    expect(sent).toEqual([{ domainId: doomed.id }]);
    expect(await domainStore(table).get(doomed.organization, doomed.id)).toBeUndefined();
  });
});

describe('the page of how a domain stood', () => {
  test('is opened by its history, and shows the results and the evidence of that time', async () => {
    const [{ at } = { at: '' }] = historyView('v=spf1 -all').entries;
    const then = `/console/domains/${domain.id}?${new URLSearchParams({ at })}`;
    expect(await view('history')).toContain(`href="${then}"`);
    const { query } = { query: new URLSearchParams({ at }).toString() };
    expect((await overviewFor({ query })).data).toContain('Nothing is kept of that time');
    const results = { ...perfectResults('parked'), spf: spfResult('v=spf1 ip4:198.51.100.99 -all') };
    const run = { recording: undefined as never, certificates: new Map() };
    const kept = { at, release: '1.0.0', usageType: 'parked' as const, results, run };
    const { writes } = evidenceStore(table, { retentionDays: 0 }).writesOf(domain.id, kept, undefined, 90);
    await table.transact(writes);
    const { data } = await overviewFor({ query });
    expect(data).toContain('v=spf1 ip4:198.51.100.99 -all');
    expect(data).toContain(`/console/domains/${domain.id}?as=evidence&amp;${query}`);
    const file = JSON.parse((await overviewFor({ query: `as=evidence&${query}` })).data);
    expect(file.evidence).toMatchObject({ domain: domain.domain, checkedAt: at, release: '1.0.0' });
    expect((await overviewFor()).data).not.toContain('198.51.100.99');
  });
});
