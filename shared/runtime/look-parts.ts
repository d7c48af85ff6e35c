import type { CheckState } from '../checks/results.ts';
import type { Look, LookParts } from '../monitoring/look.ts';
import { confirmAfterSeconds } from '../monitoring/rhythm.ts';
import { alertStore } from '../store/alerts/alerts.ts';
import type { Domain } from '../store/domains/domains.ts';
import { checkStore } from '../store/looks/checks.ts';
import { historyStore } from '../store/looks/history.ts';
import { seenSelectorStore } from '../store/looks/seen-selectors.ts';
import { watchStore } from '../store/looks/watches.ts';
import { organizationStore } from '../store/organizations.ts';
import type { Table } from '../store/table.ts';
import { config } from './config.ts';
import { record } from './metric.ts';
import { queue } from './queue.ts';
import { recordTold } from './record-alerts.ts';

/** What a look at a domain uses, wherever it is taken. */
export function lookParts(table: Table): LookParts {
  const { SCORE_THRESHOLD, CHECK_INTERVAL_SECONDS, RETENTION_DAYS, REPORTS_DOMAIN } = config();
  const checks = queue('checks');
  return {
    checks: checkStore(table),
    history: historyStore(table, { retentionDays: RETENTION_DAYS }),
    selectors: seenSelectorStore(table),
    watches: recordTold(watchStore(table, alertStore(table, { retentionDays: RETENTION_DAYS }))),
    organizations: organizationStore(table),
    settings: {
      scoreThreshold: SCORE_THRESHOLD,
      confirmAfterSeconds: confirmAfterSeconds(CHECK_INTERVAL_SECONDS),
      reportsDomain: REPORTS_DOMAIN,
    },
    lookAgain: ({ organization, id }, seenAt, delaySeconds) =>
      checks.send({ organization, id, seenAt }, delaySeconds),
    looked: recordLook,
  };
}

function recordLook({ id }: Domain, { results, ...numbers }: Look): void {
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
