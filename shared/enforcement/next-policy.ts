/** The policy that a domain is ready for, as it is stored beside its reports, and what of that still holds. */
import { createHash } from 'node:crypto';
import { type About, named } from '../attention/kinds.ts';
import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { strongerPolicy } from '../protocol/dmarc/next-record.ts';
import type { Policy } from '../protocol/dmarc/record.ts';
import { daysBefore } from '../reports/day.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { DomainReference } from '../store/domains/domain.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import type { NextPolicy, NextPolicyStore } from '../store/enforcement/next-policies.ts';
import { type AssessedDomain, assessReadiness } from './assess.ts';
import type { ReadinessDependencies } from './dependencies.ts';
import {
  IGNORED_DAYS,
  type MeasureOptions,
  type Measures,
  measure,
  type SenderMeasures,
} from './measures.ts';
import { type PublishedNow, publishedNow } from './published-records.ts';
import { problemsOf } from './readiness.ts';
import { judgedShares, lowestOf, undecidedSenders } from './sender-rules.ts';
import type { Step } from './stage.ts';
import { thresholds } from './thresholds.ts';

const HOUR = 3_600_000;

/** Reports arrive on most days, so an assessment is repeated a little more often than once a day. */
const REPEAT_MILLISECONDS = 20 * HOUR;

/** A domain whose reports stopped arriving is not proposed a policy any more. */
const VALID_MILLISECONDS = 48 * HOUR;

/** Equal as long as the decisions of the owner and the usage type are. */
export async function decisionBasis(
  { id, usageType }: { readonly id: string; readonly usageType: UsageType },
  decisions: Pick<DecisionStore, 'list' | 'attestations'>,
): Promise<string> {
  const [decided, attested] = await Promise.all([decisions.list(id), decisions.attestations(id)]);
  const changes = [...decided.values()].map(({ senderId, changedAt }) => [senderId, changedAt]);
  return createHash('sha256')
    .update(JSON.stringify([usageType, changes, attested]))
    .digest('hex');
}

/**
 * Assesses which policy a domain is ready for, and which senders stand in its way, and stores that, unless it was done
 * within the last 20 hours. Returns what is stored then.
 * @param canBeReady False for a domain whose reports stopped.
 */
export async function keepNextPolicy(
  domain: Omit<AssessedDomain, 'mailbox'> & DomainReference,
  deps: ReadinessDependencies & { readonly nextPolicies: NextPolicyStore },
  canBeReady = true,
): Promise<NextPolicy> {
  const now = deps.clock.now();
  const [kept, basis] = await Promise.all([
    deps.nextPolicies.get(domain.id),
    decisionBasis(domain, deps.decisions),
  ]);
  if (
    kept?.basis === basis &&
    isWithin(REPEAT_MILLISECONDS, kept.assessedAt, now) &&
    (canBeReady || kept.policy === null)
  )
    return kept;
  const assessed = await assessReadiness(domain, deps);
  const { readiness, target, published, measures, usedSelectors } = assessed;
  const { text: record } = published.dmarc;
  const isStep = canBeReady && readiness.ready && strongerPolicy(published.dmarc, domain.domain, target);
  const next = {
    ...{ assessedAt: now.toISOString(), basis, record },
    policy: isStep ? target : null,
    ...{ signsAsDomain: measures.signsAsDomain, usedSelectors },
    ...(await sendersToActOn(assessed)),
  };
  await deps.nextPolicies.keep(domain, next);
  return next;
}

/**
 * The policy that a domain is still ready for: assessed within two days, for the record that the latest check found, and
 * on the decisions as they are now.
 */
export async function nextPolicyOf(
  domain: { readonly id: string; readonly usageType: UsageType },
  results: CheckResults,
  deps: {
    readonly nextPolicies: Pick<NextPolicyStore, 'get'>;
    readonly decisions: Pick<DecisionStore, 'list' | 'attestations'>;
  },
  now: Date,
): Promise<Policy | null> {
  const kept = await deps.nextPolicies.get(domain.id);
  if (kept === undefined || kept.policy === null) return null;
  const isValid =
    isWithin(VALID_MILLISECONDS, kept.assessedAt, now) &&
    kept.record === results.dmarc.record &&
    problemsOf(publishedNow(results, kept.usedSelectors), kept).length === 0 &&
    kept.basis === (await decisionBasis(domain, deps.decisions));
  return isValid ? kept.policy : null;
}

const isWithin = (milliseconds: number, time: string, now: Date): boolean =>
  Math.abs(now.getTime() - Date.parse(time)) < milliseconds;

/** A sender that was repaired should not wait until its failures leave the window of 30 days. */
const LATEST_DAYS = 7;

interface Assessed {
  readonly measures: Measures;
  readonly measured: MeasureOptions;
  readonly current: PublishedNow;
  /** The next step; undefined at the last one. */
  readonly step: Step | undefined;
  /** The days of the window. */
  readonly recent: readonly DaySummary[];
}

/** The senders that a person has to do something about, those of attention items; most failing messages first. */
async function sendersToActOn({ measures, measured, current, step, recent }: Assessed): Promise<{
  readonly failing: About;
  readonly undecided: About;
}> {
  const from = daysBefore(measured.today, IGNORED_DAYS + LATEST_DAYS - 1);
  const latest = await measure(
    recent.filter(({ day }) => day >= from),
    measured,
  );
  const lately = new Map(latest.senders.map((sender) => [sender.group.id, sender]));
  // As the rules of the next step have it: a domain that is ready for it has no failing sender.
  const { senderShare } = thresholds[step ?? 'reject'];
  const isFailing = (sender: SenderMeasures) => shareOf(sender) < senderShare;
  const failing = measures.senders
    .filter((sender) => isFailing(sender) && isFailing(lately.get(sender.group.id) ?? sender))
    .toSorted((a, b) => failedOf(b) - failedOf(a));
  const undecided = undecidedSenders(measures, current).toSorted(
    (a, b) => b.all.undecidedFailed - a.all.undecidedFailed,
  );
  return { failing: namesOf(failing), undecided: namesOf(undecided) };
}

/** The share of approved mail that passes, with enough messages to mean something. */
const shareOf = (sender: SenderMeasures): number =>
  lowestOf(judgedShares([sender], 'approvedPassed'))?.share ?? 100;

const failedOf = ({ all }: SenderMeasures): number => all.approved - all.approvedPassed;

const namesOf = (senders: readonly SenderMeasures[]): About => named(senders.map(({ group }) => group.name));
