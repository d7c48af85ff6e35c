import { applyAssessment, applyNoReports, hasAssessedItem } from '../../shared/enforcement/attention.ts';
import { keepNextPolicy } from '../../shared/enforcement/next-policy.ts';
import { keepSums } from '../../shared/enforcement/organization-sums.ts';
import { alertsOfSenders, COMPARED_DAYS } from '../../shared/enforcement/sender-alerts.ts';
import { dayAt } from '../../shared/protocol/time.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { withAlertLog } from '../../shared/runtime/logging/record-alerts.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import type { AlertQuota } from '../../shared/store/alerts/dedupe-keys.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionChanges } from '../../shared/store/attention-changes.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { type RollUp, rollUpMessage } from '../../shared/store/reports/days.ts';
import { domainSumsStore, summedWindow } from '../../shared/store/reports/domain-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { triggers } from '../triggers.ts';

/** A day takes a few seconds at most. When less time remains, the rest is left to another message. */
const ENOUGH_MILLISECONDS = 20_000;
/** Reports about earlier days, such as imported ones, raise no alerts about senders. */
const RECENT_DAYS = 7;
/** Report days that are examined again when a new one begins. */
const EXAMINED_DAYS = 3;
/** A domain without reports for longer is not proposed a stronger policy. */
const READY_DAYS = 2;
/** The alerts about senders of a domain that begin on a day. */
const QUOTA: AlertQuota = { authClass: 'authenticated', limit: 5 };

export const handler = worker(
  triggers.rollUpSummaries,
  rollUpMessage,
  () => ({
    summaries: summaryStore(table()),
    sums: domainSumsStore(table(), { retentionDays: config().RETENTION_DAYS }),
    decisions: decisionStore(table()),
    alerts: withAlertLog(alertStore(table(), { retentionDays: config().RETENTION_DAYS })),
    queue: queue('summaries'),
    domains: domainStore(table()),
    enforcement: {
      checks: checkStore(table()),
      history: historyStore(table(), { retentionDays: config().RETENTION_DAYS }),
      selectors: seenSelectorStore(table()),
      nextPolicies: nextPolicyStore(table()),
      attention: attentionChanges(table(), notificationSettingsStore(table())),
    },
    clock,
  }),
  async (
    { domain, ...rollUp },
    { summaries, sums, decisions, alerts, queue, clock, domains, enforcement },
    work,
  ) => {
    const hasTime = () => work.remainingMilliseconds() > ENOUGH_MILLISECONDS;
    const now = clock.now();
    const isDone = await summaries.rollUp(domain, rollUp, { now, hasTime });
    if (!isDone) {
      await queue.send({ domain, ...rollUp });
      return;
    }
    const today = dayAt(now);
    if (rollUp.kind !== 'DMARC' || rollUp.day < summedWindow(now).from) return;
    const startOfRecent = daysBefore(today, RECENT_DAYS);
    const window = { from: daysBefore(startOfRecent, COMPARED_DAYS), to: today };
    const days = await summaries.readSummaries(domain.id, window, now);
    await keepSums(domain, days, sums, now);

    const decided = await decisions.list(domain.id);
    for (const day of examinedDays(rollUp, days).filter((one) => one >= startOfRecent)) {
      const firstCompared = daysBefore(day, COMPARED_DAYS);
      const compared = days.filter((one) => one.day >= firstCompared && one.day <= day);
      for (const { draft, since } of alertsOfSenders(domain.domain, compared, { day, decisions: decided }))
        await alerts.raise(domain, [draft], { day: since, to: day, list: 'senders', quota: QUOTA }, now);
    }

    const latest = days.at(-1)?.day;
    if (latest === undefined) {
      await applyNoReports(domain, enforcement, now);
      return;
    }
    const registered = await domains.get(domain.organization, domain.id);
    if (registered === undefined) return;
    const canBeReady = latest >= daysBefore(today, READY_DAYS);
    if (!canBeReady && !(await hasAssessedItem(domain, enforcement))) return;
    const next = await keepNextPolicy(
      registered,
      { ...enforcement, summaries, decisions, clock },
      canBeReady,
    );
    await applyAssessment(registered, next, { ...enforcement, decisions }, now);
  },
);

/** The days whose senders are compared with those before: not all reporters report about a day at the same time. */
function examinedDays(
  { day, earlier }: RollUp,
  days: readonly { readonly day: string }[],
): readonly string[] {
  if (!earlier) return [day];
  const before = days.map((one) => one.day).filter((one) => one < day);
  return before.slice(-EXAMINED_DAYS);
}
