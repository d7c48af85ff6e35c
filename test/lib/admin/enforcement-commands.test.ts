import { describe, expect, test } from '@jest/globals';
import type { AdminDependencies, Options } from '../../../lib/admin/command.ts';
import { enforcementCommands } from '../../../lib/admin/enforcement-commands.ts';
import { visible } from '../../../lib/terminal/text.ts';
import { decideSender } from '../../../shared/enforcement/decide.ts';
import { senderGroups } from '../../../shared/enforcement/senders.ts';
import { auditStore } from '../../../shared/store/audit.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../../shared/store/check-runs/seen-selectors.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { decisionStore } from '../../../shared/store/enforcement/decisions.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import { auditOn } from '../../kit/audit.ts';
import { newsletter } from '../../kit/report-history.ts';
import { dmarcReport, registeredDomain, row, storeDmarc } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';

const now = new Date('2026-03-10T12:00:00Z');
const REJECT = 'v=DMARC1; p=reject';

let code = 0;
const rolledUp: object[] = [];

/** Runs a command, with the domain as people may type it, and returns its lines and its exit code. */
async function run(name: string, options: Options = {}): Promise<{ lines: readonly string[]; code: number }> {
  code = 0;
  const lines = await enforcementCommands[name]?.run(['Example.org.'], options, deps);
  return { lines: lines ?? [], code };
}

const table = await useTable();
const domain = await registeredDomain(table);
const reports = dmarcReportStore(table, { retentionDays: 0 });
const failing = row({
  sourceIp: '198.51.100.10',
  count: 30,
  ...{ dkim: 'fail', spf: 'fail' },
  dkimResults: [{ domain: 'news.example.net', result: 'pass', selector: 'n' }],
  spfResults: [{ domain: 'bounce.news.example.net', result: 'pass', scope: 'mfrom' }],
});
const header = { reportId: 'r1', orgName: 'google.com', policyP: 'none' };
await storeDmarc(reports, domain, dmarcReport('2026-03-05', [row({ count: 100 }), failing], header), now);
const enforcement = {
  summaries: summaryStore(table),
  decisions: decisionStore(table),
  checks: checkStore(table),
  history: historyStore(table, { retentionDays: 0 }),
  selectors: seenSelectorStore(table),
  ...{ domains: domainStore(table), dns: zone({}), reportsDomain: 'reports.example' },
  ...{
    clock: { now: () => now },
    rollUps: { send: async (message: object) => void rolledUp.push(message) },
  },
};
const deps = {
  ...auditOn(table),
  queues: async () => ({ urlsOf: () => undefined }),
  organizations: organizationStore(table),
  domains: domainStore(table),
  clock: { now: () => now },
  setExitCode: (given: number) => {
    code = given;
  },
  enforcement: () => enforcement,
  setting: (key: string) => ({ REPORTS_DOMAIN: 'reports.example' })[key],
  dns: () => zone({}),
} as unknown as AdminDependencies;

const approve = async (status: 'approved' | null) => {
  const { id } = senderGroups('example.org').groupOf(newsletter());
  await decideSender(domain, id, { status, by: null, isAllowed: () => true }, deps.enforcement());
};

describe('sender', () => {
  const decide = (...args: string[]) => enforcementCommands.sender?.run(['example.org', ...args], {}, deps);

  test('decides like the API: with an entry in the audit log, and a new assessment', async () => {
    const [listed = ''] = (await run('senders')).lines.filter((line) => line.includes('example.net'));
    const [id = ''] = listed.split('  ');
    expect(listed).toContain('30 messages, 30 failed; no decision');
    expect(await decide(id, 'approved')).toEqual(['example.org: example.net is approved']);
    expect((await run('senders')).lines.join('\n')).toContain('30 failed; approved');
    const page = { page: 1, limit: 1 };
    const { entries } = await auditStore(table).list(domain.organization, {}, page, now);
    expect(entries).toMatchObject([
      { action: 'updateSender', token: null, subject: domain.id, name: 'example.org: example.net' },
    ]);
    expect(rolledUp).toMatchObject([{ domain: { id: domain.id }, day: '2026-03-10', earlier: true }]);
    expect(await decide(id, 'none')).toEqual(['example.org: example.net is without a decision']);
  });

  test.each([
    [['x', 'approved'], 'No mail of this sender'],
    [['x', 'good'], 'status: must be'],
    [['others-a', 'approved'], 'status: must not be approved'],
  ])('%j is refused', async (args, message) => {
    await expect(decide(...args)).rejects.toThrow(message);
  });
});

describe('simulate', () => {
  test('shows what changes, and exits with 2 only if approved mail would be lost', async () => {
    const before = await run('simulate', { dmarc: REJECT });
    expect(before.code).toBe(0);
    expect(before.lines.join('\n')).toContain('130 messages in 1 report of 1 reporter');
    expect(before.lines.join('\n')).toContain(
      'example.net (no decision): of 30 messages, none 0, quarantine 0, reject 30',
    );
    await approve('approved');
    expect((await run('simulate', { dmarc: REJECT })).code).toBe(3);
    expect((await run('simulate', { dmarc: 'v=DMARC1; p=none; adkim=s' })).code).toBe(0);
    await approve(null);
  });

  test('exits with 3 if more is unpredictable than allowed', async () => {
    const spf = 'v=spf1 ip4:192.0.2.0/24 -all';
    expect((await run('simulate', { spf, maxUnpredictable: '10' })).code).toBe(4);
    expect((await run('simulate', { spf })).code).toBe(0);
  });

  test('prints JSON, and rejects wrong arguments with the reason', async () => {
    const { lines } = await run('simulate', { dmarc: REJECT, json: true, days: '10' });
    expect(JSON.parse(visible(lines).join('\n'))).toMatchObject({
      startDate: '2026-03-01',
      endDate: '2026-03-10',
    });
    await expect(run('simulate')).rejects.toThrow('must contain dmarc, spf, or both');
    await expect(run('simulate', { dmarc: 'p=reject' })).rejects.toThrow('dmarc: must start with');
    await expect(run('simulate', { dmarc: REJECT, days: '0' })).rejects.toThrow('--days must be a number');
  });
});

test('enforcement shows the stage, the next record after a check, and each rule', async () => {
  expect((await run('enforcement')).lines.join('\n')).not.toContain('next record');
  const { dmarc, ...others } = perfectResults('sends-and-receives');
  const published = { ...dmarc, policyDomain: 'example.org', record: 'v=DMARC1; p=none' };
  const results = { ...others, dmarc: published };
  await checkStore(table).keep(domain, { checkedAt: now.toISOString(), results });
  const { lines, code } = await run('enforcement');
  expect(code).toBe(0);
  expect(lines[0]).toBe('example.org: monitoring (p=none)');
  expect(lines[1]).toMatch(/^next record: v=DMARC1; p=quarantine; rua=mailto:\S+$/);
  expect(lines.join('\n')).toMatch(/NO {3}Days with reports +1 \(required: 21 of 30\)/);
  const json = visible((await run('enforcement', { json: true })).lines).join('\n');
  expect(JSON.parse(json).stage).toBe('monitoring');
});
