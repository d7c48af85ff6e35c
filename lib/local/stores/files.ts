/** The files that the stores keep in the data folder. */
import { statSync } from 'node:fs';

/** The table's database file. A folder without it has never held a service. */
export const TABLE_FILE = 'table.sqlite';
/** Received mail. */
export const OBJECTS_FILE = 'objects.sqlite';
/** Queued work. */
export const QUEUES_FILE = 'queues.sqlite';

/** The data folder cannot be used. The message is one line that gives the reason. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

/**
 * Returns a function that throws when the file at `path` is no longer the one that it is now: a program can write to a
 * file that was deleted or replaced, and loses what it writes. `:memory:` is always there.
 */
export function presenceOf(path: string): () => void {
  if (path === ':memory:') return () => {};
  const { dev, ino } = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino !== ino || found.dev !== dev)
      throw new Error(`${path} was deleted or replaced while the service runs: restart the service`);
  };
}
