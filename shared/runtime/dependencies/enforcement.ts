import type { EnforcementDependencies, ReadinessDependencies } from '../../enforcement/dependencies.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { historyStore } from '../../store/check-runs/history.ts';
import { seenSelectorStore } from '../../store/check-runs/seen-selectors.ts';
import { decisionStore } from '../../store/enforcement/decisions.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import { config } from '../config/config.ts';
import { clock, table } from './services.ts';

/** What senders and simulations are calculated from. */
export const enforcementDependencies = (): EnforcementDependencies => ({
  summaries: summaryStore(table()),
  decisions: decisionStore(table()),
  checks: checkStore(table()),
  clock,
});

/** What readiness depends on. */
export const readinessDependencies = (): ReadinessDependencies => ({
  ...enforcementDependencies(),
  history: historyStore(table(), { retentionDays: config().RETENTION_DAYS }),
  selectors: seenSelectorStore(table()),
});
