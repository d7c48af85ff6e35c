/** Whether a domain is ready for the next step of enforcement, from its stored reports, checks and decisions. */
import type { UsageType } from '../checks/state.ts';
import { nextRecord } from '../protocol/dmarc/next-record.ts';
import type { Policy } from '../protocol/dmarc/record.ts';
import { dayAt } from '../protocol/time.ts';
import { daysBefore } from '../reports/day.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { ReadinessDependencies, SimulationDependencies } from './dependencies.ts';
import { IGNORED_DAYS, type Measures, measure } from './measures.ts';
import { checkedDays, daysPublished, WINDOW_DAYS } from './policy-history.ts';
import { effectOf } from './policy-terms.ts';
import { isDmarcKnown, keepsSubdomainPolicy, publishedNow, publishedRecords } from './published-records.ts';
import { canRejectAtOnce, readinessOf } from './readiness.ts';
import { percentage } from './senders.ts';
import type { Enforcement, SimulationSummary } from './shapes.ts';
import { simulateSummaries } from './simulate-records.ts';
import { stageOf, stepAfter } from './stage.ts';

/** How far back seasonal senders are searched. */
export const HISTORY_DAYS = 400;
/** The changes that are searched for another policy. Before them, only reports show what was published. */
export const MAX_CHANGES = 50;
/** A key is in use for this many days after mail was signed with it: a week for weekly mail, and reports that are late. */
const USED_DAYS = 7 + IGNORED_DAYS;

export interface AssessedDomain {
  readonly id: string;
  readonly domain: string;
  readonly usageType: UsageType;
  /** The address of its report mailbox, if reporters can reach it. */
  readonly mailbox: string | undefined;
}

/** Whether a domain is ready, and for which policy. Asks nothing of the network. */
export async function assessReadiness(
  { id, domain, usageType }: Omit<AssessedDomain, 'mailbox'>,
  deps: ReadinessDependencies,
) {
  const now = deps.clock.now();
  const today = dayAt(now);
  const history = { from: daysBefore(today, HISTORY_DAYS - 1), to: today };
  const window = { from: daysBefore(today, WINDOW_DAYS - 1), to: today };
  const [recent, decisions, attested, checks, changes, usedSelectors] = await Promise.all([
    deps.summaries.readSummaries(id, window, now),
    deps.decisions.list(id),
    deps.decisions.attestations(id),
    deps.checks.latest(id),
    deps.history.checks(id, { page: 1, limit: MAX_CHANGES }, now),
    deps.selectors.provenSince(id, daysBefore(today, USED_DAYS)),
  ]);
  const published = publishedRecords(domain, checks?.results, recent);
  const { dmarc, terms } = published;
  const subdomains = keepsSubdomainPolicy(dmarc, domain);
  const options = { domain, decisions, keepsSubdomainPolicy: subdomains, today };
  const measures = await measure(deps.summaries.eachDay(id, history, now), options);
  const stage = stageOf(dmarc, domain);
  const step = stepAfter(stage, terms);
  const current = publishedNow(checks?.results, usedSelectors);
  const readiness = readinessOf({
    ...{ stage, step, usageType, measures, today },
    policyDays: daysPublished(effectOf(terms, 'p'), measures, checked(), today),
    published: current,
    attested: {
      volume: attested.volume !== null,
      seasonalSenders: attested.seasonalSenders !== null,
      forwardingLoss: attested.forwardingLoss !== null,
    },
  });
  const target: Policy = canRejectAtOnce(usageType, measures) ? 'reject' : (step ?? 'none');
  const isRecordKnown = isDmarcKnown(checks?.results);
  return {
    stage,
    readiness,
    target,
    isRecordKnown,
    usedSelectors,
    measures,
    measured: options,
    step,
    published,
    current,
    attested,
    decisions,
    window,
    recent,
  };

  function checked() {
    if (checks === undefined || !isDmarcKnown(checks.results)) return null;
    const tag = dmarc.policyDomain === null || dmarc.policyDomain === domain ? 'p' : 'sp';
    const to = (checks.results.dmarc.asOf ?? checks.checkedAt).slice(0, 10);
    const keptFrom = changes.hasMore ? null : deps.history.keptFrom(now);
    return checkedDays(changes.entries, { effect: effectOf(terms, 'p'), tag, to, keptFrom });
  }
}

export async function assessEnforcement(
  { mailbox, ...of }: AssessedDomain,
  deps: SimulationDependencies & ReadinessDependencies,
): Promise<Enforcement> {
  const { domain } = of;
  const assessed = await assessReadiness(of, deps);
  const { stage, readiness, target, measures, published, attested, ...basis } = assessed;
  const record = nextRecord(published.dmarc, { domain, mailbox, target });
  return {
    stage,
    ...readiness,
    reports: countReports(basis.recent),
    // What reports say about the published record is enough to simulate a step, and not to replace the record.
    nextRecord: basis.isRecordKnown ? record : null,
    simulation: await simulated(),
    attested,
    lastStep: lastStep(measures),
  };

  async function simulated(): Promise<SimulationSummary | null> {
    const { recent, decisions, window } = basis;
    if (record === null || recent.length === 0) return null;
    const reports = () => recent;
    const replay = { proposed: { dmarc: record }, days: window, reports, decisions, published };
    const result = await simulateSummaries(domain, replay, deps);
    return 'simulation' in result ? result.simulation.summary : null;
  }
}

/** Reports that count for the rules, and those that anybody could have sent. */
function countReports(days: readonly DaySummary[]): Enforcement['reports'] {
  const counts = { authenticated: 0, unauthenticated: 0 };
  for (const { authenticated, reports } of days.flatMap(({ summaries }) => summaries))
    counts[authenticated === true ? 'authenticated' : 'unauthenticated'] += reports;
  return counts;
}

function lastStep({ lastStep: step }: Measures): Enforcement['lastStep'] {
  if (step === null) return null;
  return {
    at: step.day,
    policy: step.policy,
    predictedLostShare: percentage(step.before.lost, step.before.messages),
    actualLostShare: percentage(step.since.lost, step.since.messages),
  };
}
