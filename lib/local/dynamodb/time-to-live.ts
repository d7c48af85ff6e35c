/** Takes away what has expired, as DynamoDB does: some time after, a bounded number at a time. */
import type { Database } from './database.ts';
import { replace } from './writes.ts';

/** Items of a table in one sweep: some ten milliseconds of work. */
const SWEEP = 500;
/** What expired longer ago than this is left alone (AWS, "How it works: DynamoDB Time to Live"). */
const FIVE_YEARS = 5 * 365 * 24 * 3600;

/** One sweep over all tables with time to live. */
export function sweep({ storage, clock, tables }: Database): void {
  const now = Math.floor(clock.now().getTime() / 1000);
  storage.dropTokens(now);
  for (const table of tables()) {
    if (table.timeToLive === undefined) continue;
    storage.transaction(() => {
      for (const { id, item } of storage.expired(table.id, {
        from: now - FIVE_YEARS,
        to: now - 1,
        limit: SWEEP,
      })) {
        replace(storage, table, { id, before: item, after: undefined });
      }
    });
  }
}
