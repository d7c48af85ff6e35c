/** The overview of a domain: its score, checks and recommended changes, and what needs attention. */
import type { Plan } from '../../fixes/plan.ts';
import { type PlanDependencies, planOf } from '../../operations/fixes/plan-fixes.ts';
import { daysUntil } from '../../operations/reports/days.ts';
import type { FindingAudience } from '../../protocol/findings/finding.ts';
import type { AttentionStore } from '../../store/attention.ts';
import type { ChecksEntry, HistoryStore, ScoreEntry } from '../../store/check-runs/history.ts';
import { isProven } from '../../store/domains/domain.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { type ListedPolicy, policyOf } from '../../store/domains/listed.ts';
import { findingAudienceOf } from '../../store/domains/report-address.ts';
import type { DmarcDay } from '../../store/reports/dmarc-reports.ts';
import type { AttentionView } from '../attention.ts';
import { type Checked, checkedOf } from './checked.ts';
import { type FirstSteps, type StepDependencies, stepsOf } from './first-steps.ts';

/** The entries of histories that a picture is derived from. */
const NEWEST = { page: 1, limit: 100 };
/** The attention items of the domain, also those that are put off. */
const ATTENTION = { page: 1, limit: 20 };
/** In days: reports come once a day, but not for a domain that sends little mail. */
const REPORTS_OF = 30;

export interface OverviewView {
  readonly owner: FindingAudience;
  /** Undefined before the first check run. */
  readonly checked:
    | (Checked & {
        /** Null if it is not known. */
        readonly policy: ListedPolicy | null;
      })
    | undefined;
  readonly plan: Plan;
  /** Days with reports of the last 30, oldest first. */
  readonly days: readonly DmarcDay[];
  /** Newest first. */
  readonly scores: readonly ScoreEntry[];
  readonly changes: readonly ChecksEntry[];
  /** ISO 8601: the current time. */
  readonly now: string;
  readonly first: FirstSteps;
  readonly attention: AttentionView;
}

interface OverviewDependencies extends PlanDependencies, StepDependencies {
  readonly attention: Pick<AttentionStore, 'list'>;
  readonly history: Pick<HistoryStore, 'scores' | 'checks'>;
}

export async function overviewOf(
  domain: Domain,
  deps: OverviewDependencies,
  now: Date,
): Promise<OverviewView> {
  const { checks, history, reportsDomain } = deps;
  const planned = planOf(domain, deps, now);
  const [latest, plan, days, steps, scores, changes, open] = await Promise.all([
    checks.latest(domain.id),
    planned,
    deps.reports.timeline(domain.id, daysUntil(now, REPORTS_OF), now),
    planned.then((plan) => stepsOf(domain, plan, deps)),
    history.scores(domain.id, NEWEST, now),
    history.checks(domain.id, NEWEST, now),
    deps.attention.list(domain.organization, { domainId: domain.id }, ATTENTION, now),
  ]);
  return {
    owner: findingAudienceOf(domain, reportsDomain),
    checked: latest && {
      ...checkedOf(latest, domain.usageType),
      policy: policyOf(latest.results.dmarc),
    },
    plan,
    first: { steps, isVerified: isProven(domain), hasReports: days.length > 0 },
    days,
    scores: scores.entries,
    changes: changes.entries,
    attention: { ...open, now },
    now: now.toISOString(),
  };
}
