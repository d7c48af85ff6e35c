/** When a failed delivery is retried. */
import { LONGEST_RETRY_SECONDS } from '../store/alerts/longest-waits.ts';

/** The pause after each attempt except the last, in seconds: seven attempts within 21 hours. */
export const RETRY_SECONDS: readonly number[] = [60, 300, 1_800, 7_200, 21_600, LONGEST_RETRY_SECONDS];

/** The number of attempts before a delivery goes to the dead-letter queue. */
export const ATTEMPTS = RETRY_SECONDS.length + 1;

/**
 * An attempt that a crash or kill interrupted does not count as failed. This limits how often that may happen, because the
 * delivery itself may be what ends the worker.
 */
export const MAX_INTERRUPTIONS = 100;
