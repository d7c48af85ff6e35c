/** The folder that holds everything the local host keeps, and the claim that one service makes on it. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { closeToOthers, openPrivateDatabase } from './private-file.ts';

/** The folder cannot be used. The message is one line that gives the reason. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

export interface DataFolder {
  /** The absolute path. */
  readonly path: string;
  stop(): void;
}

/** The table's database file. A folder without it has never held a service. */
export const TABLE_FILE = 'table.sqlite';
/** Changes to the records of the example internet. */
export const RECORDS_FILE = 'example-internet.sqlite';

/**
 * Makes the folder, sees that it can be written to, and claims it: a second service on the same folder is refused.
 * The claim is a lock of the operating system on a file, so it ends with the process however that ends.
 *
 * Whatever the folder holds is closed to others, and so is every file that this process creates from now on: received
 * mail, addresses and secrets.
 * @throws DataFolderError
 */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  let lock: DatabaseSync | undefined;
  try {
    process.umask(0o077);
    makeFolder(path);
    lock = openPrivateDatabase(join(path, 'service.lock'));
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
    const held = lock;
    closeToOthers(realpathSync(path));
    return { path, stop: () => held.close() };
  } catch (error) {
    lock?.close();
    const reason = (error as Error).message;
    throw new DataFolderError(
      /locked|busy/i.test(reason)
        ? `DATA_DIR ${path} is in use by another service`
        : `DATA_DIR ${path} cannot be used: ${reason}`,
    );
  }
}

/**
 * Creates one level at a time. Node's `recursive` option never returns if the parent exists but does not allow new
 * folders, as in `/proc`.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
