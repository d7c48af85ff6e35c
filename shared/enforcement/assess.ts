/** Whether a domain is ready for the next step of enforcement, from its stored reports, checks and decisions. */
import type { UsageType } from '../checks/state.ts';
import { nextRecord } from '../protocol/dmarc/next-record.ts';
import type { Policy } from '../protocol/dmarc/record.ts';
import { daysBefore } from '../reports/day.ts';
import type { EnforcementDependencies, SimulationDependencies } from './dependencies.ts';
import { type Measures, measure, WINDOW_DAYS } from './measures.ts';
import { isDmarcKnown, publishedNow, publishedRecords } from './published-records.ts';
import { canRejectAtOnce, readinessOf, stepAfter } from './readiness.ts';
import { percentage } from './senders.ts';
import type { Enforcement, SimulationSummary } from './shapes.ts';
import { simulateSummaries } from './simulate-records.ts';
import { stageOf } from './stage.ts';

/** How far back seasonal senders are searched. */
export const HISTORY_DAYS = 400;

export interface AssessedDomain {
  readonly id: string;
  readonly domain: string;
  readonly usageType: UsageType;
  /** The address of its report mailbox. */
  readonly mailbox: string;
}

/** Whether a domain is ready, and for which policy. Asks nothing of the network. */
export async function assessReadiness(
  { id, domain, usageType }: Omit<AssessedDomain, 'mailbox'>,
  deps: EnforcementDependencies,
) {
  const now = deps.clock.now();
  const today = now.toISOString().slice(0, 10);
  const history = { from: daysBefore(today, HISTORY_DAYS - 1), to: today };
  const window = { from: daysBefore(today, WINDOW_DAYS - 1), to: today };
  const [recent, decisions, attested, checks] = await Promise.all([
    deps.summaries.readSummaries(id, window, now),
    deps.decisions.list(id),
    deps.decisions.attestations(id),
    deps.checks.latest(id),
  ]);
  const published = publishedRecords(domain, checks?.results, recent);
  const measures = await measure(deps.summaries.eachDay(id, history, now), { domain, decisions, today });
  const stage = stageOf(published.dmarc, domain);
  const readiness = readinessOf({
    stage,
    usageType,
    measures,
    published: publishedNow(checks?.results),
    attested: {
      volume: attested.volume !== null,
      seasonalSenders: attested.seasonalSenders !== null,
      forwardingLoss: attested.forwardingLoss !== null,
    },
    today,
  });
  const target: Policy = canRejectAtOnce(usageType, measures) ? 'reject' : (stepAfter(stage) ?? 'none');
  const isRecordKnown = isDmarcKnown(checks?.results);
  return {
    stage,
    readiness,
    target,
    isRecordKnown,
    measures,
    published,
    attested,
    decisions,
    window,
    recent,
  };
}

export async function assessEnforcement(
  { mailbox, ...of }: AssessedDomain,
  deps: SimulationDependencies,
): Promise<Enforcement> {
  const { domain } = of;
  const assessed = await assessReadiness(of, deps);
  const { stage, readiness, target, measures, published, attested, ...basis } = assessed;
  const record = nextRecord(published.dmarc, { domain, mailbox, target });
  return {
    stage,
    ...readiness,
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

function lastStep({ lastStep: step }: Measures): Enforcement['lastStep'] {
  if (step === null) return null;
  return {
    at: step.day,
    policy: step.policy,
    predictedLostShare: percentage(step.before.lost, step.before.messages),
    actualLostShare: percentage(step.since.lost, step.since.messages),
  };
}
