/** The page about a sender of all domains, and decisions for all of them, on real stores. */
import { describe, expect, test } from '@jest/globals';
import { handler as decideForDomains } from '../../functions/console/decide-for-domains.ts';
import { handler as showSender } from '../../functions/console/sender.ts';
import { organizationSums } from '../../shared/enforcement/organization-shapes.ts';
import { keepSums } from '../../shared/enforcement/organization-sums.ts';
import { sendersOf } from '../../shared/enforcement/senders.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { domainSumsStore, organizationSumsStore } from '../../shared/store/reports/domain-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { formTokenOf } from '../../shared/store/sessions.ts';
import { consoleTable, follow, newSession, send } from '../kit/console.ts';
import { dmarcReport, registerDomain, registeredDomain, row, storeDmarc } from '../kit/reports.ts';
import { use } from '../kit/use.ts';

const now = new Date('2026-03-01T06:00:00Z');
const kept = { retentionDays: 0 };

let senderId: string;

const dependencies = () => ({
  ...{ domains: domainStore(table), summaries: summaryStore(table), decisions: decisionStore(table) },
  ...{ checks: checkStore(table), rollUps: { send: async () => {} }, clock: { now: () => now } },
  domainSums: domainSumsStore(table, kept),
  organizationSums: organizationSumsStore(table, organizationSums),
});

/** The newsletter sends as it, and its mail fails. */
async function withMail(domain: Domain, count: number): Promise<Domain> {
  const sent = row({
    ...{ sourceIp: '203.0.113.9', count, dkim: 'fail', spf: 'fail' },
    dkimResults: [{ domain: 'news.example.net', result: 'pass', selector: 'n' }],
  });
  await storeDmarc(dmarcReportStore(table, kept), domain, dmarcReport('2026-02-27', [sent]), now);
  const window = { from: '2026-02-01', to: '2026-03-01' };
  const days = await summaryStore(table).readSummaries(domain.id, window, now);
  await keepSums(domain, days, domainSumsStore(table, kept), now);
  senderId = (await sendersOf(domain.domain, days, new Map()))[0]?.id ?? '';
  return domain;
}

const table = await use(consoleTable());
const first = await registeredDomain(table);
const second = await registerDomain(table, first.organization, 'second.example', now);
const stranger = await registeredDomain(table, 'other.example');
/** Two of one organization, and one of another. */
const domains = [await withMail(first, 30), await withMail(second, 40), await withMail(stranger, 50)];

const session = () => newSession(table, first.organization, { scope: 'write' });

const to = (cookie: string, id = senderId) => ({ cookie, id: '-', params: { senderId: id } });

const statuses = () =>
  Promise.all(
    domains.map(async ({ id }) => (await decisionStore(table).list(id)).get(senderId)?.status ?? null),
  );

describe('a sender of all domains', () => {
  const decide = (
    cookie: string,
    form: Readonly<Record<string, string>>,
    remaining?: number,
    decisions = decisionStore(table),
  ) =>
    send(decideForDomains.with({ ...dependencies(), decisions }), {
      ...to(cookie),
      form: { formToken: formTokenOf(cookie), ...form },
      ...(remaining !== undefined && { remaining }),
    });
  const page = () => showSender.with(dependencies());

  test('is shown with its domains, most failures first, and none of another organization', async () => {
    const { body = '' } = await send(page(), to(await session()));
    expect(body.indexOf('>second.example<')).toBeLessThan(body.indexOf('>example.org<'));
    expect(body).toContain('Decide for all 2 domains');
    expect(body).not.toContain('other.example');
    expect((await send(page(), to(await session(), 'unknown'))).body).toContain('No mail of this sender');
  });

  test('is decided about for all of them, where nothing else was decided', async () => {
    const cookie = await session();
    expect(await statuses()).toEqual([null, null, null]);
    const first = await follow(page(), await decide(cookie, { status: 'approved' }), to(cookie));
    expect(first.body).toContain('2 of 2 domains decided.');
    expect(await statuses()).toEqual(['approved', 'approved', null]);
    const { entries } = await auditStore(table).list(
      domains[0]?.organization ?? '',
      {},
      { page: 1, limit: 2 },
      new Date(),
    );
    expect(entries.map(({ action }) => action)).toEqual(['decideForDomains', 'decideForDomains']);

    const kept = await follow(page(), await decide(cookie, { status: 'unauthorized' }), to(cookie));
    expect(kept.body).toContain('0 of 2 domains decided.');
    expect(kept.body).toContain('It was decided before that the sender is approved here.');
    await decide(cookie, { status: 'unauthorized', replaces: 'on' });
    expect(await statuses()).toEqual(['unauthorized', 'unauthorized', null]);
    await decide(cookie, { status: 'none', replaces: 'on' });
    expect(await statuses()).toEqual([null, null, null]);
  });

  test('is not decided about where somebody decides meanwhile', async () => {
    const cookie = await session();
    const decisions = decisionStore(table);
    let reads = 0;
    const list: typeof decisions.list = async (id) => {
      const found = await decisions.list(id);
      reads += 1;
      const other = { senderId, status: 'forwarder', note: null, changedBy: null } as const;
      const changedAt = new Date(now.getTime() + 1).toISOString();
      if (reads === 1) await decisions.decide(first, { ...other, changedAt }, found.get(senderId));
      return found;
    };
    const answer = await decide(cookie, { status: 'approved', ids: first.id }, undefined, {
      ...decisions,
      list,
    });
    expect((await follow(page(), answer, to(cookie))).body).toContain('0 of 1 domain decided.');
    expect(await statuses()).toEqual(['forwarder', null, null]);
    await decide(cookie, { status: 'none', replaces: 'on' });
  });

  test('without time for all, the page goes on with those that are left', async () => {
    const cookie = await session();
    const none = await decide(cookie, { status: 'forwarder' }, 6000);
    const { body = '' } = await follow(page(), none, to(cookie));
    expect(body).toContain('Go on with 2 domains');
    const fields = body.matchAll(/<input type="hidden" name="(status|ids)" value="([^"]+)">/g);
    const goOn = Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
    await decide(cookie, goOn, 6001);
    expect(await statuses()).toEqual(['forwarder', 'forwarder', null]);
  });

  test('without a choice, nothing is done and the page says so; domains of others cannot be named', async () => {
    const cookie = await session();
    const { body } = await follow(page(), await decide(cookie, {}), to(cookie));
    expect(body).toContain('<a href="#decision-for-all">The decision must be chosen');
    const foreign = domains[2]?.id ?? '';
    await decide(cookie, { status: 'approved', ids: foreign });
    expect((await decisionStore(table).list(foreign)).size).toBe(0);
  });
});
