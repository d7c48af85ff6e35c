/**
 * How much CPU time the pages of the console take with 1,000 domains and a year of reports, from the stores to the markup,
 * and how large they are. CPU time, because other processes on the machine do not change it.
 */

import type { AlertDraft } from '../../shared/alerts/alert.ts';
import { alertListQuery, domainListQuery } from '../../shared/api/console.ts';
import { domainViewQuery, type domainViews } from '../../shared/api/console-domain.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { alertsPage } from '../../shared/pages/console/alerts.ts';
import { overviewDocument, viewDocument } from '../../shared/pages/console/domain/document.ts';
import { domainsPage } from '../../shared/pages/console/domains.ts';
import { todayPage } from '../../shared/pages/console/today.ts';
import { readIpData } from '../../shared/protocol/ip-data.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { accepted } from '../../shared/runtime/http/reply.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import type { Domain } from '../../shared/store/domains/domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { alertList } from '../../shared/views/alert-list.ts';
import { overviewOf } from '../../shared/views/domain/overview.ts';
import { domainView } from '../../shared/views/domain/view.ts';
import { domainList } from '../../shared/views/domain-list.ts';
import { todayOf } from '../../shared/views/today.ts';
import { historyView } from '../kit/domain-views.ts';
import { policy, registeredDomain, storeTls, tlsReport } from '../kit/reports.ts';
import { perfectResults } from '../kit/results.ts';
import { type EmptyTable, emptyTable } from '../kit/table.ts';
import { zone } from '../kit/zone.ts';
import { median } from './measuring.ts';
import type { BenchRow } from './row.ts';
import { storeYear } from './simulations.ts';

const LAST_DAY = '2026-02-23';
const now = new Date(`${LAST_DAY}T12:00:00Z`);
const DOMAINS = 1000;
/** Domains of the first page of the list that have alerts. */
const LISTED = 25;
const REPORTERS = 20;
const DAYS = 366;
const ROUNDS = 15;
/** Milliseconds and bytes. */
const GOAL = { milliseconds: 100, octets: 100_000 };
/** A page of the list has 100 rows of about a kilobyte, which browsers get compressed. */
const LIST = 'List of domains';
const LIST_OCTETS = 130_000;

/** The database runs in the same process, so its time counts too. Takes two minutes. */
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
      compliance: complianceSettingsStore(table),
      assessments: assessmentStore(table, enforcement),
      nextPolicies: nextPolicyStore(table),
      history: historyStore(table, kept),
      selectors: seenSelectorStore(table),
      dns: zone({}),
      clock: { now: () => now },
      reportsDomain: 'reports.example',
      naming: { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain: 'reports.example' },
      domains: domainStore(table),
      dmarcReports: dmarcReportStore(table, kept),
      tlsReports: tlsReportStore(table, kept),
      ipData: readIpData([]),
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
    const visitor = { canWrite: true, formToken: 'f' };
    const year = { startDate: daysBefore(LAST_DAY, DAYS - 1), endDate: LAST_DAY };
    const view =
      (name: (typeof domainViews)[number], query = {}) =>
      () =>
        domainView(domain, name, domainViewQuery.parse(query), deps).then((view) =>
          viewDocument(domain, visitor, accepted(view)),
        );
    await storeList(table, domain);
    const { organization } = domain;
    const alerts = alertStore(table, kept);
    const attention = attentionStore(table);
    const list = { directory: directoryStore(table), alerts, clock: deps.clock };
    const start = { ...list, attention, domains: domainStore(table) };
    const alertStores = { ...list, domains: deps.domains };
    const domains = () => domainList(organization, domainListQuery.parse({}), list);
    const raised = () => alertList(organization, alertListQuery.parse({}), alertStores);
    const overview = { ...deps, attention, reports: deps.dmarcReports };
    const pages = {
      Today: async () => todayPage({ ...(await todayOf(organization, { page: 1 }, start)), ...visitor }),
      [LIST]: async () => domainsPage({ ...(await domains()), views: [], ...visitor }),
      Alerts: async () => alertsPage({ ...accepted(await raised()), ...visitor }),
      Overview: async () => overviewDocument(domain, visitor, await overviewOf(domain, overview, now)),
      'DMARC reports of 30 days': view('dmarc'),
      'DMARC reports of a year': view('dmarc', year),
      Enforcement: view('enforcement'),
      'TLS reports of 30 days': view('tls'),
      'TLS reports of a year': view('tls', year),
      History: view('history'),
    };
    const rows: BenchRow[] = [];
    for (const [name, load] of Object.entries(pages)) rows.push(await measured(name, load));
    return rows;
  } finally {
    await table.stop();
  }
}

/** Registers the other domains of the organization. Those with the worst grade have all that the list can show. */
async function storeList(table: EmptyTable, { organization }: Pick<Domain, 'organization'>): Promise<void> {
  const [domains, checks] = [domainStore(table), checkStore(table)];
  const results = perfectResults('sends-only');
  const kept = { retentionDays: 400 };
  for (let n = 1; n < DOMAINS; n += 1) {
    const wanted = {
      ...({ domain: `brand-${n}.example.com`, usageType: 'sends-only', testEmailLocalPart: null } as const),
      tags: ['production', `customer:${n}`],
    };
    const outcome = await domains.register(organization, wanted, DOMAINS, now);
    if (outcome.status !== 'registered') throw new Error(`the domain was not registered: ${outcome.status}`);
    const { domain } = outcome;
    const isListed = n <= LISTED;
    const score = isListed ? 10 : 90;
    const scores = { 'sends-and-receives': null, 'receives-only': null, 'sends-only': score, parked: null };
    await checks.keep(domain, { checkedAt: now.toISOString(), results, scores });
    if (!isListed) continue;
    for (let at = 0; at < 20; at += 1) {
      const time = new Date(now.getTime() - at * 60_000);
      const changed = { at: time.toISOString(), score: score + at, grade: 'F' } as const;
      const draft: AlertDraft = {
        ...{ type: 'score_threshold', severity: 'warning', title: 'Score below 70', message: 'It is 10.' },
        metadata: { threshold: 70, previousScore: 80, newScore: score, direction: 'below' },
      };
      const writes = await alertStore(table, kept).writesOf(domain, [draft], time);
      await table.transact([...writes, ...historyStore(table, kept).writesOf(domain.id, { score: changed })]);
    }
  }
}

/** The first round also calculates the enforcement, which later ones show for an hour. */
async function measured(
  name: string,
  load: () => Promise<string>,
  most = name === LIST ? LIST_OCTETS : GOAL.octets,
): Promise<BenchRow> {
  const times: number[] = [];
  let octets = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    const started = process.cpuUsage();
    octets = Buffer.byteLength(await load());
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
  }
  const [first = 0, ...later] = times;
  const usual = median(later);
  return {
    name: `Console, ${DOMAINS} domains, a year of reports of ${REPORTERS} reporters: ${name}`,
    value: `${Math.round(usual)} ms (the first time ${Math.round(first)} ms), ${Math.round(octets / 1000)} kB`,
    goal: `at most ${GOAL.milliseconds} ms and ${most / 1000} kB`,
    met: usual <= GOAL.milliseconds && octets <= most,
  };
}
