/** How long notifications wait at most. */

/** For the end of a pause between mails. */
export const LONGEST_PAUSE_SECONDS = 60 * 60;

/** For the next digest: a week, and the hours by which clocks change and time zones move. */
export const LONGEST_DIGEST_SECONDS = 8 * 24 * 60 * 60;

/** For the next attempt of a delivery: SQS allows up to 12 hours. */
export const LONGEST_RETRY_SECONDS = 12 * 60 * 60;
