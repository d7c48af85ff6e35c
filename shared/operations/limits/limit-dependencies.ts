import type { Clock } from '../../network/ports.ts';
import type { RateStore } from '../../store/rates/rates.ts';

/** What counts for the limits of strangers. */
export interface LimitDependencies {
  readonly limits: RateStore;
  readonly clock: Clock;
}
