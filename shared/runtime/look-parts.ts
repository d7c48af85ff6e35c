import type { LookParts } from '../monitoring/look.ts';
import { confirmAfterSeconds } from '../monitoring/rhythm.ts';
import { alertStore } from '../store/alerts.ts';
import { checkStore } from '../store/checks.ts';
import { historyStore } from '../store/history.ts';
import { organizationStore } from '../store/organizations.ts';
import { seenSelectorStore } from '../store/seen-selectors.ts';
import type { Table } from '../store/table.ts';
import { watchStore } from '../store/watches.ts';
import { config } from './config.ts';
import { queue } from './queue.ts';

/** What a look at a domain uses, wherever it is taken. */
export function lookParts(table: Table): LookParts {
  const { SCORE_THRESHOLD, CHECK_INTERVAL_SECONDS, RETENTION_DAYS } = config();
  const checks = queue('checks');
  return {
    checks: checkStore(table),
    history: historyStore(table, { retentionDays: RETENTION_DAYS }),
    selectors: seenSelectorStore(table),
    watches: watchStore(table, alertStore(table, { retentionDays: RETENTION_DAYS })),
    organizations: organizationStore(table),
    settings: {
      scoreThreshold: SCORE_THRESHOLD,
      confirmAfterSeconds: confirmAfterSeconds(CHECK_INTERVAL_SECONDS),
    },
    lookAgain: ({ organization, id }, seenAt, delaySeconds) =>
      checks.send({ organization, id, seenAt }, delaySeconds),
  };
}
