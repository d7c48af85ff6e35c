/** Deletes expired items as DynamoDB does: some time later, a bounded number at a time. */
import type { Database } from './database.ts';
import { replace } from './writes.ts';

/** Items of a table per sweep: about ten milliseconds of work. */
const SWEEP = 500;
/** Items that expired longer ago are ignored (AWS, "How it works: DynamoDB Time to Live"). */
const FIVE_YEARS = 5 * 365 * 24 * 3600;

/** Sweeps all tables with time to live once. */
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
