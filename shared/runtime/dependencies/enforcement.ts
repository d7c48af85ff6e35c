import type { EnforcementDependencies, ReadinessDependencies } from '../../enforcement/dependencies.ts';
import type { AssessDependencies } from '../../operations/enforcement/update-enforcement.ts';
import type { UpdateSenderDependencies } from '../../operations/enforcement/update-sender.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { historyStore } from '../../store/check-runs/history.ts';
import { seenSelectorStore } from '../../store/check-runs/seen-selectors.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { decisionStore } from '../../store/enforcement/decisions.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import { config } from '../config/config.ts';
import { queue } from '../workers/queue.ts';
import { dns } from './dns.ts';
import { clock, retention, table } from './services.ts';

/** What senders and simulations are calculated from. */
export const enforcementDependencies = (): EnforcementDependencies => ({
  summaries: summaryStore(table()),
  decisions: decisionStore(table()),
  checks: checkStore(table()),
  clock,
});

/** What readiness depends on. */
const readinessDependencies = (): ReadinessDependencies => ({
  ...enforcementDependencies(),
  history: historyStore(table(), retention()),
  selectors: seenSelectorStore(table()),
});

/** What assessing a domain needs. */
export const assessDependencies = (): AssessDependencies => ({
  ...readinessDependencies(),
  domains: domainStore(table()),
  dns: dns(),
  reportsDomain: config().REPORTS_DOMAIN,
});

export const updateSenderDependencies = (): UpdateSenderDependencies => ({
  ...enforcementDependencies(),
  domains: domainStore(table()),
  rollUps: queue('summaries'),
});
