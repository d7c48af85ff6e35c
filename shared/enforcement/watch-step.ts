/** The condition of the attention item about a step that loses approved mail, with the record that ends the loss. */
import { aboutFacts } from '../attention/kinds.ts';
import { type StepFacts, stepFacts } from '../attention/step-text.ts';
import type { CheckResults } from '../checks/results.ts';
import { effectivePolicy } from '../protocol/dmarc/next-record.ts';
import { policies } from '../protocol/dmarc/record.ts';
import type { Dns } from '../protocol/dns.ts';
import { type DaySummary, withAuthenticated } from '../reports/dmarc/summary/shapes.ts';
import type { Held } from '../store/attention-changes.ts';
import type { DomainItem } from '../store/attention-items.ts';
import type { HistoryStore } from '../store/check-runs/history.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import { MAX_CHANGES } from './assess.ts';
import { formerRecord } from './former-record.ts';
import { measure } from './measures.ts';
import { isDmarcKnown, publishedRecords } from './published-records.ts';
import { simulateSummaries } from './simulate-records.ts';
import { type StepLoss, stepLossOf } from './step-loss.ts';
import { MIN_MESSAGES } from './thresholds.ts';

/** The senders that the text names; it counts the others. */
const MOST_NAMED = 3;

interface StepWatch {
  readonly results: CheckResults;
  /** The report days that `stepLossOf` needs. */
  readonly days: readonly DaySummary[];
  readonly before: DomainItem | undefined;
  readonly dns: Dns;
  readonly now: Date;
}

/** The day of the step that an open item is about. */
export const watchedStep = (item: DomainItem | undefined): string | null =>
  stepFacts.safeParse(item?.about.facts).data?.day ?? null;

/**
 * The condition holds while approved mail is lost beyond the prediction, the stricter policy is published, and a simulation
 * shows that the record before the step ends the loss. Undefined if the published record is unknown.
 */
export async function stepCondition(
  reference: DomainReference,
  { results, days, before, dns, now }: StepWatch,
  deps: {
    readonly decisions: Pick<DecisionStore, 'list'>;
    readonly history: Pick<HistoryStore, 'checks'>;
  },
): Promise<Held | null | undefined> {
  const { id, domain } = reference;
  if (!isDmarcKnown(results)) return undefined;
  const published = publishedRecords(domain, results, []);
  const policy = effectivePolicy(published.dmarc, domain) ?? 'none';
  if (policy === 'none') return null;
  const decisions = await deps.decisions.list(id);
  const today = now.toISOString().slice(0, 10);
  const measures = await measure(days, { domain, decisions, keepsSubdomainPolicy: false, today });
  const loss = stepLossOf(measures, { today, watchedStep: watchedStep(before) });
  if (loss === null || policies.indexOf(policy) < policies.indexOf(loss.policy)) return null;
  const { entries } = await deps.history.checks(id, { page: 1, limit: MAX_CHANGES }, now);
  const record = formerRecord(published.dmarc, { domain, previous: loss.previous }, entries);
  if (record === null) return null;
  const compared = days.filter(({ day }) => day >= loss.from && day <= loss.to).map(withAuthenticated);
  const replay = { proposed: { dmarc: record }, days: loss, reports: () => compared, decisions, published };
  const result = await simulateSummaries(domain, replay, { dns, clock: { now: () => now } });
  if (!('simulation' in result)) return null;
  const simulated = result.simulation.senders.filter((sender) =>
    loss.senders.some((one) => one.id === sender.id),
  );
  const sum = (of: 'current' | 'proposed', fate: 'quarantine' | 'reject') =>
    simulated.reduce((total, sender) => total + sender[of][fate], 0);
  const current = { quarantine: sum('current', 'quarantine'), reject: sum('current', 'reject') };
  const proposed = { quarantine: sum('proposed', 'quarantine'), reject: sum('proposed', 'reject') };
  const delivered = current.quarantine + current.reject - proposed.quarantine - proposed.reject;
  // Back at p=quarantine, mail that fails is not rejected.
  if (Math.max(delivered, current.reject - proposed.reject) <= MIN_MESSAGES) return null;
  return {
    since: `${loss.since}T00:00:00.000Z`,
    about: aboutFacts(factsOf(loss, { record, current, proposed })),
  };
}

function factsOf(
  { senders, since: _, ...loss }: StepLoss,
  { record, current, proposed }: Pick<StepFacts, 'record' | 'current' | 'proposed'>,
): StepFacts {
  return {
    ...loss,
    senders: senders.slice(0, MOST_NAMED).map(({ id: _, ...sender }) => sender),
    others: Math.max(0, senders.length - MOST_NAMED),
    ...{ record, current, proposed },
  };
}
