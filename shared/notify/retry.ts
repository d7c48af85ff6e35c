/** When a delivery that failed is tried again. */

/** Seconds after each attempt but the last: seven attempts within 21 hours, the longest pause the longest of SQS. */
export const RETRY_SECONDS: readonly number[] = [60, 300, 1_800, 7_200, 21_600, 43_200];

/** Attempts before a delivery goes to the dead letters. */
export const ATTEMPTS = RETRY_SECONDS.length + 1;
