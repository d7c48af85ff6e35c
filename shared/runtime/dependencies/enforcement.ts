import type { EnforcementDependencies } from '../../enforcement/dependencies.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { decisionStore } from '../../store/enforcement/decisions.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import { clock, table } from './services.ts';

/** What senders and simulations are calculated from. */
export const enforcementDependencies = (): EnforcementDependencies => ({
  summaries: summaryStore(table()),
  decisions: decisionStore(table()),
  checks: checkStore(table()),
  clock,
});
