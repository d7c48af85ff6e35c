/** Gives the space of deleted rows back to the file system (SQLite, "PRAGMA incremental_vacuum"). */
import type { DatabaseSync } from 'node:sqlite';

/** Makes that possible; to be run before the first table of a file is created. */
export const RECLAIMABLE = 'PRAGMA auto_vacuum = INCREMENTAL';

/** Pages at a time: a few milliseconds of work. */
const PAGES = 1000;

/** Free pages below this share of a file are used again soon. */
const KEPT_SHARE = 0.1;

/** Shortens the file by a bounded amount if much of it is free. To be called again and again. */
export function giveBackSpace(database: DatabaseSync): void {
  const value = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const free = value('freelist_count');
  if (free >= PAGES && free >= KEPT_SHARE * value('page_count'))
    database.exec(`PRAGMA incremental_vacuum(${PAGES})`);
}
