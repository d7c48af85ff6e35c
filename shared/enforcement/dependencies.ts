import type { Clock } from '../network/ports.ts';
import type { Dns } from '../protocol/dns.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import type { CheckStore } from '../store/check-runs/checks.ts';
import type { DecisionStore } from '../store/enforcement/decisions.ts';

/** An inclusive range of days such as `2026-01-31`, UTC. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** What the calculations read. */
export interface EnforcementDependencies {
  readonly summaries: {
    /** The summaries of all reports whose periods begin on these days, oldest first, without days that have none. */
    readSummaries(domainId: string, days: Days, now: Date): Promise<readonly DaySummary[]>;
  };
  readonly decisions: DecisionStore;
  readonly checks: CheckStore;
  readonly clock: Clock;
}

/** Simulations look up records that are not published. */
export interface SimulationDependencies extends EnforcementDependencies {
  readonly dns: Dns;
}
