/** Files that their owner alone may read: received mail, addresses and secrets lie in the data folder. */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';

/** SQLite creates the other files of a database with the mode of the main file. */
const PARTS = ['', '-wal', '-shm', '-journal'];

/** How long a write waits for another process that has the file open, such as the admin command. */
export const LOCK_MILLISECONDS = 10_000;

/**
 * Opens or creates a database file. The path `:memory:` has no file. A commit is on the disk before the next statement
 * (`synchronous = FULL`, SQLite's default): what was acknowledged outlives a crash of the machine, too.
 */
export function openPrivateDatabase(path: string, options: DatabaseSyncOptions = {}): DatabaseSync {
  if (path !== ':memory:') {
    // Must not open an existing file: closing it would release this process's locks on it (POSIX, "fcntl").
    unless(['EEXIST'], () => closeSync(openSync(path, 'ax', 0o600)));
    for (const part of PARTS) makePrivate(`${path}${part}`, 0o600);
  }
  return new DatabaseSync(path, { timeout: LOCK_MILLISECONDS, ...options });
}

/** Creates the folder if it does not exist, and makes it private. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  makePrivate(path, 0o700);
}

/**
 * Takes from others what they may do with a file, or with a folder and all that it holds. What its owner may do stays.
 * Symbolic links are left alone, and so is what they lead to.
 */
export function closeToOthers(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  // The folder before its content: then nobody else can put a link in the place of a file meanwhile.
  if ((found.mode & 0o077) !== 0) makePrivate(path, found.mode & 0o700);
  if (!found.isDirectory()) return;
  let names: readonly string[] = [];
  unless(['EACCES', 'ENOENT'], () => {
    names = readdirSync(path);
  });
  for (const name of names) closeToOthers(join(path, name));
}

/** Files that a person copied here may be open to others. What is not there, or is another owner's, is left as it is. */
function makePrivate(path: string, mode: number): void {
  unless(['ENOENT', 'EPERM'], () => chmodSync(path, mode));
}

/** Runs `act` and ignores errors with one of these codes. */
function unless(codes: readonly string[], act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
