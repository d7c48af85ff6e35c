/** The page of a sender on real stores: what is known about its mail, and the decision about it. */
import { expect, test } from '@jest/globals';
import { handler as decideOnSender } from '../../functions/console-domain/decide-on-sender.ts';
import { handler as showSender } from '../../functions/console-domain/sender.ts';
import { sendersOf } from '../../shared/enforcement/senders.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { readIpData } from '../../shared/protocol/ip-data.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { formTokenOf } from '../../shared/store/sessions.ts';
import { consoleTable, follow, newSession, type Sent, send } from '../kit/console.ts';
import { mmdb } from '../kit/mmdb.ts';
import { dmarcReport, registeredDomain, row, storeDmarc } from '../kit/reports.ts';
import { perfectResults } from '../kit/results.ts';
import { use } from '../kit/use.ts';
import { zone } from '../kit/zone.ts';

const now = new Date('2026-03-01T06:00:00Z');
const kept = { retentionDays: 0 };
const window = { from: '2026-02-01', to: '2026-03-01' };

const networks = {
  '203.0.113.0/24': { autonomous_system_number: 64_500, autonomous_system_organization: 'News <Networks>' },
};

const dependencies = () => ({
  ...{ domains: domainStore(table), summaries: summaryStore(table), decisions: decisionStore(table) },
  ...{ checks: checkStore(table), history: historyStore(table, kept), selectors: seenSelectorStore(table) },
  ...{ assessments: assessmentStore(table, enforcement), dmarcReports: dmarcReportStore(table, kept) },
  dns: zone({
    '9.113.0.203.in-addr.arpa': { PTR: ['mail.news.example.net'] },
    'mail.news.example.net': { A: ['203.0.113.9'] },
    '10.113.0.203.in-addr.arpa': { PTR: ['forged.example'] },
    '11.113.0.203.in-addr.arpa': { PTR: 'TIMEOUT' },
  }),
  ipData: readIpData([{ path: 'asn', bytes: mmdb('Example-ASN', '2026-02-20', networks) }]),
  ...{ reportsDomain: 'reports.example', rollUps: { send: async () => {} } },
  clock: { now: () => now },
});

const session = (of = domain) => newSession(table, of.organization, { scope: 'write' });

const show = (sent: Sent, id = senderId) =>
  send(showSender.with(dependencies()), { id: domain.id, params: { senderId: id }, ...sent });

const table = await use(consoleTable());
const domain = await registeredDomain(table);
const stranger = await registeredDomain(table, 'other.example');
const results = perfectResults('sends-and-receives');
await dependencies().checks.keep(domain, {
  checkedAt: '2026-02-28T08:00:00.000Z',
  results: { ...results, dmarc: { ...results.dmarc, policy: 'none', record: 'v=DMARC1; p=none' } },
  lookups: [],
});
const sent = (ip: string, count: number) =>
  row({
    ...{ sourceIp: ip, count, dkim: 'fail', spf: 'fail' },
    dkimResults: [{ domain: 'news.example.net', result: 'pass', selector: 'n<1>' }],
    spfResults: [{ domain: 'bounce.news.example.net', result: 'pass', scope: 'mfrom' }],
  });
const ownKey = { domain: 'example.org', result: 'pass', selector: 'own-selector' } as const;
const mails = [sent('203.0.113.9', 30), sent('203.0.113.10', 20), sent('203.0.113.11', 10)];
const report = dmarcReport('2026-02-27', [row({ count: 70, dkimResults: [ownKey] }), ...mails]);
await storeDmarc(dependencies().dmarcReports, domain, report, now);
const days = await dependencies().summaries.readSummaries(domain.id, window, now);
const senders = await sendersOf(domain.domain, days, new Map());
/** The newsletter service, by the name that reports give it. */
const senderId = senders.find(({ name }) => name === 'example.net')?.id ?? '';

test('it shows volume, names, selectors, domains and reporters, and nothing of other senders', async () => {
  const { body = '' } = await show({ cookie: await session() });
  const row = (address: string, name: string) =>
    new RegExp(`<code>${address}</code></th><td>${name}</td>`.replaceAll('(', '\\(').replaceAll(')', '\\)'));
  expect(body).toMatch(
    row('203.0.113.9', 'mail.news.example.net</td><td>30</td><td>0 %</td><td>AS64500 News &lt;Networks&gt;'),
  );
  expect(body).toMatch(row('203.0.113.10', 'forged.example (does not lead back)'));
  expect(body).toMatch(row('203.0.113.11', 'lookup failed'));
  expect(body).toMatch(/<code>n&lt;1&gt;<\/code><\/th><td><code>news\.example\.net<\/code><\/td><td>60</);
  expect(body).not.toContain('192.0.2.1<');
  expect(body).not.toContain('own-selector');
});

test('a decision with a note leads back, and a refused one is filled in again', async () => {
  const cookie = await session();
  const form = {
    ...{ formToken: formTokenOf(cookie), on: 'sender', ids: senderId, status: 'unauthorized' },
    ...{ startDate: '2026-02-01', endDate: '2026-03-01', note: ' Not <ours> ' },
  };
  const decide = (given: object) =>
    send(decideOnSender.with(dependencies()), { id: domain.id, cookie, form: { ...form, ...given } });
  const page = showSender.with(dependencies());
  const to = { id: domain.id, params: { senderId }, cookie };
  const refused = await follow(page, await decide({ note: 'x'.repeat(1001) }), to);
  expect(refused.body).toContain('<a href="#sender-note">The note is too long.');
  expect(refused.body).toMatch(/value="unauthorized" checked/);
  expect(refused.body).toContain('x'.repeat(1001));
  const done = await decide({});
  expect(done.headers?.location).toMatch(
    `/console/domains/${domain.id}/senders/${senderId}?startDate=2026-02-01&endDate=2026-03-01&flash=`,
  );
  const { body = '' } = await follow(page, done, to);
  expect(body).toContain('value="Not &lt;ours&gt;"');
  await decide({ status: 'none', note: '' });
  expect((await decisionStore(table).list(domain.id)).get(senderId)).toMatchObject({
    ...{ status: null, note: null },
  });
});

test('without its mail in the window, it says so; of another organization, there is no page', async () => {
  const cookie = await session();
  const { body } = await show({ cookie, query: 'startDate=2026-01-01&endDate=2026-01-31' });
  expect(body).toContain('No mail of this sender in this window');
  expect((await show({ cookie }, 'unknown')).body).toContain('No mail of this sender in this window');
  expect((await show({ cookie: await session(stranger) })).statusCode).toBe(404);
});
