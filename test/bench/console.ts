/**
 * How much CPU time the pages about one domain take with a year of reports, from the stores to the markup, and how large
 * they are. CPU time, because other processes on the machine do not change it.
 */
import { showOverview, showView } from '../../functions/console-domain/rules.ts';
import { domainViewQuery, type domainViews } from '../../shared/api/console-domain.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import type { Reply } from '../../shared/runtime/http/reply.ts';
import type { TokenInfo } from '../../shared/store/api-tokens.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { historyView } from '../kit/domain-views.ts';
import { policy, registeredDomain, storeTls, tlsReport } from '../kit/reports.ts';
import { perfectResults } from '../kit/results.ts';
import { emptyTable } from '../kit/table.ts';
import { zone } from '../kit/zone.ts';
import type { BenchRow } from './row.ts';
import { storeYear } from './simulations.ts';

const LAST_DAY = '2026-02-23';
const now = new Date(`${LAST_DAY}T12:00:00Z`);
const REPORTERS = 20;
const DAYS = 366;
const ROUNDS = 15;
/** Milliseconds and bytes. */
const GOAL = { milliseconds: 100, octets: 100_000 };

/** The database runs in the same process, so its time counts too. Takes a minute. */
export async function benchConsole(): Promise<readonly BenchRow[]> {
  const table = await emptyTable({ now: () => now });
  try {
    const registered = await registeredDomain(table);
    const { testEmailLocalPart, dkimSelectors } = registered;
    const change = { usageType: 'sends-only', testEmailLocalPart, dkimSelectors, hasBadge: false } as const;
    const domain = (await domainStore(table).change(registered, change, now)) ?? registered;
    await storeYear(table, domain, { reporters: REPORTERS, addresses: 100 });
    const kept = { retentionDays: 400 };
    const deps = {
      summaries: summaryStore(table),
      decisions: decisionStore(table),
      checks: checkStore(table),
      assessments: assessmentStore(table, enforcement),
      nextPolicies: nextPolicyStore(table),
      history: historyStore(table, kept),
      dns: zone({}),
      clock: { now: () => now },
      reportsDomain: 'reports.example',
      naming: { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain: 'reports.example' },
      domains: domainStore(table),
      dmarcReports: dmarcReportStore(table, kept),
      tlsReports: tlsReportStore(table, kept),
    };
    for (let n = 0; n < DAYS; n += 1) {
      const policies = [policy({ successCount: 900 + n, failureCount: n % 3 })];
      await storeTls(deps.tlsReports, domain, tlsReport(`${daysBefore(LAST_DAY, n)}T00:00:00Z`, policies));
    }
    await checkStore(table).keep(domain, {
      checkedAt: now.toISOString(),
      results: perfectResults(domain.usageType),
      lookups: [],
    });
    for (const entry of historyView('v=DMARC1; p=none').entries)
      await table.transact(deps.history.writesOf(domain.id, { checks: entry }));
    const token: TokenInfo = {
      ...{ id: 't', hash: 'h', organization: domain.organization, name: 'console', networks: [] },
      ...{ createdAt: now.toISOString(), expiresAt: null, revokedAt: null },
      scope: 'admin',
    };
    const request = { organization: domain.organization, path: { id: domain.id }, token, formToken: 'f' };
    const view = (name: (typeof domainViews)[number]) => () =>
      showView({ ...request, path: { ...request.path, view: name }, query: domainViewQuery.parse({}) }, deps);
    const pages = {
      Overview: () => showOverview(request, { ...deps, reports: deps.dmarcReports }),
      'DMARC reports of 30 days': view('dmarc'),
      Enforcement: view('enforcement'),
      'TLS reports of 30 days': view('tls'),
      History: view('history'),
    };
    const rows: BenchRow[] = [];
    for (const [name, load] of Object.entries(pages)) rows.push(await measured(name, load));
    return rows;
  } finally {
    await table.stop();
  }
}

/** The first round also calculates the enforcement, which later ones show for an hour. */
async function measured(name: string, load: () => Promise<Reply<string>>): Promise<BenchRow> {
  const times: number[] = [];
  let octets = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const started = process.cpuUsage();
    octets = Buffer.byteLength((await load()).data);
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
  }
  const [first = 0, ...later] = times;
  const median = later.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? first;
  return {
    name: `Console, a year of reports of ${REPORTERS} reporters: ${name}`,
    value: `${Math.round(median)} ms (the first time ${Math.round(first)} ms), ${Math.round(octets / 1000)} kB`,
    goal: `at most ${GOAL.milliseconds} ms and ${GOAL.octets / 1000} kB`,
    met: median <= GOAL.milliseconds && octets <= GOAL.octets,
  };
}
