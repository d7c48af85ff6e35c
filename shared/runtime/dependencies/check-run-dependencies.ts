import type { CheckState } from '../../checks/state.ts';
import { nextPolicyOf } from '../../enforcement/next-policy.ts';
import { confirmAfterSeconds } from '../../monitoring/check-times.ts';
import type { CheckRun, CheckRunDependencies } from '../../monitoring/run-checks.ts';
import { alertStore } from '../../store/alerts/alerts.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { attentionChanges } from '../../store/attention-changes.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { evidenceStore } from '../../store/check-runs/evidence.ts';
import { historyStore } from '../../store/check-runs/history.ts';
import { monitorStateStore } from '../../store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../store/check-runs/seen-selectors.ts';
import { sharedKeyStore } from '../../store/check-runs/shared-keys.ts';
import { complianceSettingsStore } from '../../store/compliance-settings.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { decisionStore } from '../../store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../store/enforcement/next-policies.ts';
import { organizationStore } from '../../store/organizations.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import type { Table } from '../../store/table.ts';
import { type Config, config } from '../config/config.ts';
import { record } from '../logging/metric.ts';
import { withMonitorAlertLog } from '../logging/record-alerts.ts';
import { type Queue, queue } from '../workers/queue.ts';

/** The dependencies of a check run, the same for a request and for the schedule. */
export function checkRunDependencies(table: Table): CheckRunDependencies {
  const run = checkRunOn(table, config(), queue('checks'));
  return { ...run, monitorStates: withMonitorAlertLog(run.monitorStates), onCheckRun: recordCheckRun };
}

type CheckRunSettings = Pick<
  Config,
  | 'SCORE_THRESHOLD'
  | 'CHECK_INTERVAL_SECONDS'
  | 'RETENTION_DAYS'
  | 'REPORTS_DOMAIN'
  | 'FORMER_REPORTS_DOMAINS'
>;

/** The same without lines in the log, for a service with these settings and this queue of checks. */
export function checkRunOn(
  table: Table,
  settings: CheckRunSettings,
  checks: Pick<Queue, 'send'>,
): CheckRunDependencies {
  const { SCORE_THRESHOLD, CHECK_INTERVAL_SECONDS, RETENTION_DAYS, REPORTS_DOMAIN, FORMER_REPORTS_DOMAINS } =
    settings;
  const notifications = notificationSettingsStore(table);
  const readiness = { nextPolicies: nextPolicyStore(table), decisions: decisionStore(table) };
  return {
    checks: checkStore(table),
    history: historyStore(table, { retentionDays: RETENTION_DAYS }),
    evidence: evidenceStore(table, { retentionDays: RETENTION_DAYS }),
    selectors: seenSelectorStore(table),
    sharedKeys: sharedKeyStore(table),
    summaries: summaryStore(table),
    monitorStates: monitorStateStore(table, alertStore(table, { retentionDays: RETENTION_DAYS })),
    organizations: organizationStore(table),
    notifications,
    attention: attentionChanges(table, notifications),
    compliance: complianceSettingsStore(table),
    isReady: async (domain, results, now) => (await nextPolicyOf(domain, results, readiness, now)) !== null,
    settings: {
      scoreThreshold: SCORE_THRESHOLD,
      confirmAfterSeconds: confirmAfterSeconds(CHECK_INTERVAL_SECONDS),
      reportsDomain: REPORTS_DOMAIN,
      formerReportsDomains: FORMER_REPORTS_DOMAINS,
    },
    scheduleConfirmation: ({ organization, id }, seenAt, delaySeconds) =>
      checks.send({ organization, id, seenAt }, { delaySeconds }),
    onCheckRun: () => {},
  };
}

function recordCheckRun({ id }: Domain, { results, ...numbers }: CheckRun): void {
  const states = Object.entries(results).map(([check, { state }]) => ({ check, state }));
  const of = (wanted: CheckState) => states.filter(({ state }) => state === wanted);
  record('check', {
    domainId: id,
    unknown: of('unknown').map(({ check }) => check),
    ...numbers,
    checksPass: of('pass').length,
    checksWarning: of('warning').length,
    checksFail: of('fail').length,
    checksAbsent: of('absent').length,
    checksNotApplicable: of('not-applicable').length,
    checksUnknown: of('unknown').length,
  });
}
