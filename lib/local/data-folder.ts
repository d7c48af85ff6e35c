/** The folder that holds everything the local host keeps, and the claim that one service makes on it. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openPrivateDatabase } from './private-file.ts';

/** The folder cannot be used; the message says why in one line. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  stop(): void;
}

/** Where the table lies in the folder; a folder without it holds no service. */
export const TABLE_FILE = 'table.sqlite';

/**
 * Makes the folder, sees that it can be written to, and claims it: a second service on the same folder is refused.
 * The claim is a lock of the operating system on a file, so it ends with the process however that ends.
 * @throws DataFolderError
 */
export function openDataFolder(folder: string): DataFolder {
  const path = resolve(folder);
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(path);
    lock = openPrivateDatabase(join(path, 'service.lock'));
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
    const held = lock;
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

/** Level by level: Node's own `recursive` never ends where the parent is there and takes no folders, as `/proc`. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
