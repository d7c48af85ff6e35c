/** The pages about one domain: what they show, from the stores, and what their forms do. */
import type * as z from 'zod/mini';
import { missing } from '../../shared/api/common.ts';
import type {
  domainViewPath,
  domainViewQuery,
  previewForm,
  senderForm,
} from '../../shared/api/console-domain.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { readChanges } from '../../shared/checks/preview/proposal.ts';
import { decideSender } from '../../shared/enforcement/decide.ts';
import type {
  EnforcementDependencies,
  ReadinessDependencies,
  SimulationDependencies,
} from '../../shared/enforcement/dependencies.ts';
import { isDmarcKnown } from '../../shared/enforcement/published-records.ts';
import { recentAssessment } from '../../shared/enforcement/recent-assessment.ts';
import { senderDetails } from '../../shared/enforcement/sender-details.ts';
import { sendersOf, statusAbout } from '../../shared/enforcement/senders.ts';
import type { Enforcement } from '../../shared/enforcement/shapes.ts';
import { simulateRecords } from '../../shared/enforcement/simulate-records.ts';
import { tlsFailures } from '../../shared/monitoring/tls-failures.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { type PreviewDependencies, previewDomain } from '../../shared/operations/checks/preview-checks.ts';
import { type DmarcView, dmarcPage } from '../../shared/pages/console/domain/dmarc.ts';
import { type EnforcementView, enforcementPage } from '../../shared/pages/console/domain/enforcement.ts';
import { domainPath, type ShownDomain } from '../../shared/pages/console/domain/frame.ts';
import { type HistoryView, historyPage } from '../../shared/pages/console/domain/history.ts';
import { type OverviewView, overviewPage } from '../../shared/pages/console/domain/overview.ts';
import { previewPage } from '../../shared/pages/console/domain/preview.ts';
import { sendersOnPage } from '../../shared/pages/console/domain/senders.ts';
import { type TlsView, tlsPage } from '../../shared/pages/console/domain/tls.ts';
import { consoleDocument, MAX_CONSOLE_PAGE } from '../../shared/pages/console/layout.ts';
import type { Markup } from '../../shared/pages/markup.ts';
import { fitting } from '../../shared/pages/spf/extent.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import { answer, type Reply, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { computeScore } from '../../shared/score/score.ts';
import { covers, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { AttentionStore } from '../../shared/store/attention.ts';
import type { HistoryStore } from '../../shared/store/check-runs/history.ts';
import { isProven } from '../../shared/store/domains/domain.ts';
import type { Domain, DomainStore } from '../../shared/store/domains/domains.ts';
import { ownerOf, reportAddress } from '../../shared/store/domains/report-address.ts';
import type { AssessmentStore } from '../../shared/store/enforcement/assessments.ts';
import type { DmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import type { TlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { type AssessAgainDependencies, assessAgain, notApprovable } from '../enforcement/rules.ts';
import { type PlanDependencies, planOf } from '../fixes/rules.ts';
import { daysOf } from '../reports/rules.ts';
import { type StepDependencies, stepsOf } from './step-rules.ts';

/** The entries of histories that a picture, or the cause of a failure, is derived from. */
const MAX_HISTORY = 100;
const CHANGES_PER_PAGE = 10;
/** The attention items of the domain, also those that are put off. */
const ATTENTION = { page: 1, limit: 20 };
/** The newest TLS reports of a window, and how many of those with failures are read. */
const MAX_TLS_REPORTS = 200;
const MAX_FAILING_REPORTS = 50;

/** A page about `domain` that fits its maximum size. */
function fittingPage(
  { id, domain }: Domain,
  { token, formToken }: DomainRequest,
  main: (shown: ShownDomain, most: number) => Markup,
): string {
  const shown = { id, domain, canWrite: covers(token.scope, 'write'), formToken };
  return fitting(
    (most) =>
      consoleDocument({
        title: domain,
        description: `The email security of ${domain}`,
        formToken,
        main: main(shown, most),
      }),
    MAX_CONSOLE_PAGE,
  );
}

type Query = z.output<typeof domainViewQuery>;

/** Who asks for a page about which domain. */
export interface DomainRequest {
  readonly organization: string;
  readonly path: { readonly id: string };
  readonly token: TokenInfo;
  /** What the forms of the session contain. */
  readonly formToken: string;
}

interface WithDomains {
  readonly domains: Pick<DomainStore, 'get'>;
  readonly clock: Clock;
}

/** The overview. @throws ServiceError `not_found`. */
export async function showOverview(
  request: DomainRequest,
  { domains, clock, ...deps }: WithDomains & OverviewDependencies,
): Promise<Reply<string>> {
  const { organization, path } = request;
  const domain = await requireDomain(domains, organization, path.id);
  const view = await overviewOf(domain, deps, clock.now());
  return reply(fittingPage(domain, request, (shown, most) => overviewPage(shown, view, most)));
}

export interface ViewDependencies extends WithDomains, SimulationDependencies, ReadinessDependencies {
  readonly assessments: AssessmentStore<Enforcement>;
  readonly history: HistoryStore;
  readonly dmarcReports: Pick<DmarcReportStore, 'timeline'>;
  readonly tlsReports: Pick<TlsReportStore, 'timeline' | 'list' | 'policiesOf'>;
  readonly reportsDomain: string;
}

/** The history, DMARC reports, enforcement or TLS reports. @throws ServiceError `not_found`, `invalid_request`. */
export async function showView(
  request: DomainRequest & ViewRequest,
  { domains, ...deps }: ViewDependencies,
): Promise<Reply<string>> {
  const { organization, path, query } = request;
  const domain = await requireDomain(domains, organization, path.id);
  const now = deps.clock.now();
  switch (path.view) {
    case 'history': {
      const view = await historyOf(domain, query, deps, now);
      return reply(fittingPage(domain, request, (shown, most) => historyPage(shown, view, most)));
    }
    case 'dmarc': {
      const view = await dmarcOf(domain, query, { ...deps, reports: deps.dmarcReports }, now);
      return reply(fittingPage(domain, request, (shown, most) => dmarcPage(shown, view, most)));
    }
    case 'enforcement': {
      const view = await enforcementOf(domain, query, deps);
      return reply(fittingPage(domain, request, (shown, most) => enforcementPage(shown, view, most)));
    }
    case 'tls': {
      const view = await tlsOf(domain, query, { ...deps, reports: deps.tlsReports }, now);
      return reply(fittingPage(domain, request, (shown, most) => tlsPage(shown, view, most)));
    }
  }
}

interface ViewRequest {
  readonly path: z.output<typeof domainViewPath>;
  readonly query: Query;
}

/** Decides about a sender, and returns to the page that offers to undo it. @throws ServiceError `not_found`, `invalid_request`. */
export async function decideOnSender(
  { organization, path, token, form }: DomainRequest & { readonly form: z.output<typeof senderForm> },
  { domains, ...deps }: WithDomains & EnforcementDependencies & AssessAgainDependencies,
): Promise<Reply<string>> {
  const domain = await requireDomain(domains, organization, path.id);
  const { sender: id, status, startDate, endDate, page } = form;
  const was = statusAbout(id, await deps.decisions.list(domain.id)) ?? 'none';
  const change = { status: status === 'none' ? null : status, by: token.id };
  const sender = await decideSender(domain, id, change, deps);
  if (sender === undefined) throw new ServiceError('not_found', missing.sender);
  if (sender === 'not-approvable') throw invalidRequest(notApprovable);
  await assessAgain(domain, deps);
  const query = new URLSearchParams({ startDate, endDate, page: String(page), changed: id, was });
  return {
    ...reply('', { location: `${domainPath(domain.id, 'dmarc')}?${query}#changed` }),
    subjects: [{ id: domain.id, name: `${domain.domain}: ${sender.name}` }],
  };
}

/** What a recommended change would do. @throws ServiceError `not_found`, `rate_limited`. */
export async function previewFix(
  request: DomainRequest & { readonly form: z.output<typeof previewForm> },
  { domains, ...deps }: WithDomains & PreviewDependencies & PlanDependencies,
): Promise<Reply<string>> {
  const { organization, path, form } = request;
  const domain = await requireDomain(domains, organization, path.id);
  const { reportsDomain, clock } = deps;
  const plan = await planOf(domain, deps, clock.now());
  // The plan of a new check run can have other changes than the page that the form was on.
  const change = plan.changes.find(({ id }) => id === form.change);
  const read = change && readChanges([change], domain.domain);
  if (change === undefined || !read?.ok) throw new ServiceError('not_found', missing.change);
  const { before, after, checkedAt } = answer(await previewDomain(domain, () => read, deps)).data;
  const score = (results: typeof before) => computeScore(results, domain.usageType).score;
  const scores = { before: score(before), after: score(after) };
  const view = { owner: ownerOf(domain, reportsDomain), change, checkedAt, before, after, scores };
  return reply(fittingPage(domain, request, (shown, most) => previewPage(shown, view, most)));
}

interface OverviewDependencies extends PlanDependencies, StepDependencies {
  readonly attention: Pick<AttentionStore, 'list'>;
  readonly history: HistoryStore;
}

/** In days: reports come once a day, but not for a domain that sends little mail. */
const REPORTS_OF = 30;

function lastDays(now: Date) {
  const to = now.toISOString().slice(0, 10);
  return { from: daysBefore(to, REPORTS_OF), to };
}

async function overviewOf(domain: Domain, deps: OverviewDependencies, now: Date): Promise<OverviewView> {
  const { checks, history, reportsDomain } = deps;
  const newest = { page: 1, limit: MAX_HISTORY };
  const planned = planOf(domain, deps, now);
  const [latest, plan, days, steps, scores, changes, open] = await Promise.all([
    checks.latest(domain.id),
    planned,
    deps.reports.timeline(domain.id, lastDays(now), now),
    planned.then((plan) => stepsOf(domain, plan, deps)),
    history.scores(domain.id, newest, now),
    history.checks(domain.id, newest, now),
    deps.attention.list(domain.organization, { domainId: domain.id }, ATTENTION, now),
  ]);
  return {
    owner: ownerOf(domain, reportsDomain),
    checked: latest && {
      checkedAt: latest.checkedAt,
      results: latest.results,
      score: computeScore(latest.results, domain.usageType),
    },
    plan,
    first: { steps, isVerified: isProven(domain), hasReports: days.length > 0 },
    scores: scores.entries,
    changes: changes.entries,
    attention: { ...open, now },
    now: now.toISOString(),
  };
}

async function historyOf(
  { id }: Domain,
  { page }: Query,
  { history }: { readonly history: HistoryStore },
  now: Date,
): Promise<HistoryView> {
  return { ...(await history.checks(id, { page, limit: CHANGES_PER_PAGE }, now)), page };
}

/** Grouping the mail of a year by sender takes too long for a page. */
const SENDER_DAYS = 92;

async function dmarcOf(
  { id, domain }: Domain,
  query: Query,
  {
    summaries,
    decisions,
    reports,
  }: Pick<SimulationDependencies, 'summaries' | 'decisions'> & {
    readonly reports: Pick<DmarcReportStore, 'timeline'>;
  },
  now: Date,
): Promise<DmarcView> {
  const days = daysOf(query, now);
  const earliest = daysBefore(days.to, SENDER_DAYS - 1);
  const senderDays = { from: earliest > days.from ? earliest : days.from, to: days.to };
  const [timeline, found, decided] = await Promise.all([
    reports.timeline(id, days, now),
    summaries.readSummaries(id, senderDays, now),
    decisions.list(id),
  ]);
  const senders = await sendersOf(domain, found, decided);
  const shown = sendersOnPage(senders, query.page).map((sender) => sender.id);
  return {
    ...{ days, senderDays, today: now.toISOString().slice(0, 10), timeline, senders, page: query.page },
    details: senderDetails(domain, found, shown),
    changed:
      query.changed === undefined
        ? undefined
        : { id: query.changed, was: query.was === undefined || query.was === 'none' ? null : query.was },
  };
}

async function enforcementOf(
  domain: Domain,
  query: Query,
  {
    reportsDomain,
    ...deps
  }: SimulationDependencies &
    ReadinessDependencies & {
      readonly assessments: AssessmentStore<Enforcement>;
      readonly reportsDomain: string;
    },
): Promise<EnforcementView> {
  const mailbox = reportAddress(domain, reportsDomain);
  const [{ assessment, calculatedAt }, trial, latest] = await Promise.all([
    recentAssessment({ ...domain, mailbox }, deps),
    trialOf(domain, query, deps),
    deps.checks.latest(domain.id),
  ]);
  return { assessment, calculatedAt, trial, isRecordKnown: isDmarcKnown(latest?.results) };
}

/** The simulation of the records in the query, on the reports of the last 30 days. */
async function trialOf(
  domain: Domain,
  query: Query,
  deps: SimulationDependencies,
): Promise<EnforcementView['trial']> {
  const [dmarc, spf] = [query.dmarc?.trim() ?? '', query.spf?.trim() ?? ''];
  if (dmarc === '' && spf === '') return undefined;
  const proposed = { ...(dmarc !== '' && { dmarc }), ...(spf !== '' && { spf }) };
  const days = daysOf({}, deps.clock.now());
  return { dmarc, spf, result: await simulateRecords(domain, { proposed, days }, deps) };
}

async function tlsOf(
  { id }: Domain,
  query: Query,
  {
    reports,
    history,
    checks,
  }: {
    readonly reports: Pick<TlsReportStore, 'timeline' | 'list' | 'policiesOf'>;
    readonly history: HistoryStore;
    readonly checks: PlanDependencies['checks'];
  },
  now: Date,
): Promise<TlsView> {
  const days = daysOf(query, now);
  const window = windowOf({ startDate: `${days.from}T00:00:00.000Z`, endDate: `${days.to}T23:59:59.999Z` });
  const [timeline, listed, entries, latest] = await Promise.all([
    reports.timeline(id, days, now),
    reports.list(id, { window, page: 1, limit: MAX_TLS_REPORTS }, now),
    history.checks(id, { page: 1, limit: MAX_HISTORY }, now),
    checks.latest(id),
  ]);
  const failing = listed.reports.filter(({ report }) => report.totalFailureCount > 0);
  const read = await Promise.all(
    failing.slice(0, MAX_FAILING_REPORTS).map(async (one) => ({
      report: one.report,
      policies: await reports.policiesOf(id, one),
    })),
  );
  const known = latest && { results: latest.results, entries: entries.entries };
  return {
    ...{ days, today: now.toISOString().slice(0, 10), timeline },
    failures: tlsFailures(read, known),
    isPartial: listed.hasMore || failing.length > MAX_FAILING_REPORTS,
  };
}
