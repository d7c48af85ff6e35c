/** Files that their owner alone may read: received mail, addresses and secrets lie in the data folder. */
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/** What SQLite keeps beside a database gets the database's mode when it is made. */
const PARTS = ['', '-wal', '-shm', '-journal'];

/** Opens or creates a database file; a path of `:memory:` has no file. */
export function openPrivateDatabase(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  if (path !== ':memory:') {
    // Not opened where it is there: by closing it this process would lose the locks that it has on it (POSIX, "fcntl").
    unless(['EEXIST'], () => closeSync(openSync(path, 'ax', 0o600)));
    for (const part of PARTS) makePrivate(`${path}${part}`, 0o600);
  }
  return new DatabaseSync(path, options);
}

/** Opens or creates a folder. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  makePrivate(path, 0o700);
}

/** Files of an earlier version may be open to others. What is not there, or is another owner's, is left as it is. */
function makePrivate(path: string, mode: number): void {
  unless(['ENOENT', 'EPERM'], () => chmodSync(path, mode));
}

/** Does something that may as well fail by one of these codes. */
function unless(codes: readonly string[], act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
