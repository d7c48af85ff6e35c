/** What watching and assessing a domain work with: stores on a table, and the report days that a test states. */

import type { WatchDependencies } from '../../shared/enforcement/watch-reports.ts';
import type { DaySummary } from '../../shared/reports/dmarc/summary/shapes.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import type { Table } from '../../shared/store/table.ts';
import { changesOn } from './attention.ts';

export function watchDependencies(table: Table, days: readonly DaySummary[]): WatchDependencies {
  const inWindow = (from: string, to: string) => days.filter(({ day }) => day >= from && day <= to);
  return {
    summaries: {
      readSummaries: async (_, { from, to }) => inWindow(from, to),
      async *eachDay(_, { from, to }) {
        yield* inWindow(from, to);
      },
    },
    decisions: decisionStore(table),
    history: historyStore(table, { retentionDays: 0 }),
    alerts: alertStore(table, { retentionDays: 0 }),
    attention: changesOn(table),
  };
}

/** The days and the clock are asked for each time. */
export const assessmentDependencies = (table: Table, days: () => readonly DaySummary[], now: () => Date) => ({
  summaries: {
    readSummaries: async () => days().slice(-30),
    async *eachDay() {
      yield* days();
    },
  },
  decisions: decisionStore(table),
  checks: checkStore(table),
  history: historyStore(table, { retentionDays: 0 }),
  selectors: seenSelectorStore(table),
  nextPolicies: nextPolicyStore(table),
  attention: changesOn(table),
  clock: { now },
});
