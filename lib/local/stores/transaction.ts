import type { DatabaseSync } from 'node:sqlite';
import { presenceOf } from './files.ts';

/** How long what a transaction stores is needed. */
interface Lasting {
  /** Whether a crash of the machine may lose it. The file stays whole all the same, and a crash of the process loses nothing. */
  readonly fleeting?: boolean;
}

/**
 * Returns a function that runs its argument in one transaction of the database in the file at `path`, and rolls back what
 * throws. The function throws if the file was deleted or replaced meanwhile. A write-ahead log is on the disk after each
 * commit (`synchronous = FULL`), or for a fleeting one, with a later commit (`NORMAL`).
 */
export function transactionsOf(database: DatabaseSync, path: string) {
  const requirePresence = presenceOf(path);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const inOne = <Result>(work: () => Result): Result => {
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
  return <Result>(work: () => Result, { fleeting = false }: Lasting = {}): Result => {
    requirePresence();
    if (!fleeting) return inOne(work);
    // It takes effect when it is compiled, so that it cannot be prepared.
    database.exec('PRAGMA synchronous = NORMAL');
    try {
      return inOne(work);
    } finally {
      database.exec('PRAGMA synchronous = FULL');
    }
  };
}
