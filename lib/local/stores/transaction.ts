import type { DatabaseSync } from 'node:sqlite';
import { presenceOf } from './files.ts';

/**
 * Returns a function that runs its argument in one transaction of the database in the file at `path`, and rolls back what
 * throws. The function throws if the file was deleted or replaced meanwhile.
 */
export function transactionsOf(database: DatabaseSync, path: string) {
  const requirePresence = presenceOf(path);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  return <Result>(work: () => Result): Result => {
    requirePresence();
    begin.run();
    try {
      const result = work();
      commit.run();
      return result;
    } catch (error) {
      // A commit that fails because the disk is full has already rolled back.
      if (database.isTransaction) rollback.run();
      throw error;
    }
  };
}
