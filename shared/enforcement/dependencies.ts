import type { Clock } from '../network/ports.ts';
import type { Dns } from '../protocol/dns.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { CheckStore } from '../store/check-runs/checks.ts';
import type { HistoryStore } from '../store/check-runs/history.ts';
import type { SeenSelectorStore } from '../store/check-runs/seen-selectors.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';
import type { SummaryStore } from '../store/reports/summaries.ts';

/** An inclusive range of days such as `2026-01-31`, UTC. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Days, oldest first; those of a year are read while they are used. */
export type ReportDays = Iterable<DaySummary> | AsyncIterable<DaySummary>;

/** What the calculations read. */
export interface EnforcementDependencies {
  readonly summaries: Pick<SummaryStore, 'readSummaries' | 'eachDay'>;
  readonly decisions: DecisionStore;
  readonly checks: CheckStore;
  readonly clock: Clock;
}

/** Simulations look up records that are not published. */
export interface SimulationDependencies extends EnforcementDependencies {
  readonly dns: Dns;
}

/** Readiness also depends on how long a policy has been published, and on the keys that are in use. */
export interface ReadinessDependencies extends EnforcementDependencies {
  readonly history: Pick<HistoryStore, 'checks' | 'keptFrom'>;
  readonly selectors: Pick<SeenSelectorStore, 'provenSince'>;
}
