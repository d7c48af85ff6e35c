/** How long items are kept. DynamoDB deletes expired items late; readers ignore them until then. */
import { DAY_MILLISECONDS } from '../protocol/time.ts';

/**
 * When the items of a day (`2026-01-31`) expire, in seconds since 1970; undefined if they are kept forever, which
 * `retentionDays` 0 means.
 */
export function expiryOf(day: string, retentionDays: number): number | undefined {
  if (retentionDays === 0) return undefined;
  return (Date.parse(`${day}T00:00:00Z`) + (1 + retentionDays) * DAY_MILLISECONDS) / 1000;
}

/** Whether an item has not expired. */
export const isAlive = ({ expiresAt }: Readonly<Record<string, unknown>>, now: Date): boolean =>
  typeof expiresAt !== 'number' || expiresAt > now.getTime() / 1000;
