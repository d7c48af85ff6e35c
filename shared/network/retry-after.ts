/** Longer waits are not kept to: the cause can have ended. */
const MAX_SECONDS = 86_400;

/** How many seconds a `Retry-After` field (RFC 9110 section 10.2.3) asks for; 0 for none, and for a date. */
export function retrySecondsOf(field: string | undefined): number {
  return field !== undefined && /^\d{1,9}$/.test(field) ? Math.min(Number(field), MAX_SECONDS) : 0;
}
