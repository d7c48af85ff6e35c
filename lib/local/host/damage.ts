/** Damage in the structure of a database file. */
import { DatabaseSync } from 'node:sqlite';

/** SQLite, "PRAGMA quick_check": the structure; "integrity_check" also compares each index with its table. */
type Check = 'quick_check' | 'integrity_check';

/** How many faults of a file are found. */
const MAX_FAULTS = 10;

/** Returns what SQLite finds wrong with a file, one line each. Changes nothing. */
export function damageIn(path: string, check: Check): string[] {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare(`PRAGMA ${check}(${MAX_FAULTS})`).all();
    const lines = found.flatMap((row) => String(row[check]).split('\n'));
    return lines.filter((line) => line !== 'ok' && !line.startsWith('***'));
  } catch (error) {
    return [(error as Error).message];
  } finally {
    database?.close();
  }
}
