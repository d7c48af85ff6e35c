/**
 * The files of a data folder, and which of them belong together: each contains the identity of the folder, its own name
 * and the version of the layout.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OBJECTS_FILE, QUEUES_FILE, TABLE_FILE } from '../stores/files.ts';
import { RECLAIMABLE } from '../stores/free-space.ts';
import { openPrivateDatabase } from '../stores/private-file.ts';

/** Changes to the records of the example internet. */
export const RECORDS_FILE = 'example-internet.sqlite';

/** The SQL table of each file whose rows are the data. */
export const dataFiles = {
  [TABLE_FILE]: 'items',
  [OBJECTS_FILE]: 'objects',
  [QUEUES_FILE]: 'messages',
  [RECORDS_FILE]: 'records',
} as const;

export type DataFile = keyof typeof dataFiles;

export const dataFileNames = Object.keys(dataFiles) as readonly DataFile[];

/** The file in the data folder that holds a generated API token. */
export const TOKEN_FILE = 'api-token';

/** The version of the layout of the folder and its files. Others are refused, unchanged. */
export const LAYOUT = 1;

/** `isComplete` is false until all files of a new folder contain its identity; only the table's file says so. */
interface Mark {
  readonly identity: string;
  readonly file: string;
  readonly layout: number;
  readonly isComplete: boolean;
}

/** An empty file has no tables. A file with tables and no mark is foreign. */
type FileState =
  | { readonly kind: 'missing' | 'empty' | 'foreign' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | ({ readonly kind: 'marked' } & Mark);

export interface Problem {
  readonly file: string;
  /** What is wrong, as the end of a sentence about the file. */
  readonly problem: string;
}

export interface Inspection {
  /** Undefined if the table's file contains none yet. */
  readonly identity: string | undefined;
  readonly isComplete: boolean;
  readonly problems: readonly Problem[];
}

/** Reads which files there are and whether they belong together. Changes nothing. */
export function inspectFiles(folder: string): Inspection {
  const states = new Map(dataFileNames.map((name): [DataFile, FileState] => [name, stateOf(folder, name)]));
  const table = states.get(TABLE_FILE);
  const mark = table?.kind === 'marked' ? table : undefined;
  const holdsService =
    existsSync(join(folder, TOKEN_FILE)) || [...states.values()].some(({ kind }) => kind === 'marked');
  const problems = [...states].flatMap(([file, state]) => {
    const problem = problemOf(file, state, { mark, holdsService });
    return problem === undefined ? [] : [{ file, problem }];
  });
  return { identity: mark?.identity, isComplete: mark?.isComplete ?? false, problems };
}

/** What the other files say about one of them. */
interface Surroundings {
  /** Of the table's file. */
  readonly mark: Mark | undefined;
  /** Whether the folder holds or held a service. */
  readonly holdsService: boolean;
}

function problemOf(
  file: DataFile,
  state: FileState,
  { mark, holdsService }: Surroundings,
): string | undefined {
  switch (state.kind) {
    case 'damaged':
      return `is damaged: ${state.reason}`;
    case 'foreign':
      return 'is a database of another program, or not marked as a file of this data folder';
    case 'marked':
      if (state.layout !== LAYOUT)
        return `has layout ${state.layout}, and this version needs layout ${LAYOUT}: start the version that wrote it`;
      if (state.file !== file) return `is a copy of ${state.file}`;
      // Without the mark of the table's file, the problem is that file.
      return mark !== undefined && state.identity !== mark.identity
        ? `belongs to another data folder than ${TABLE_FILE}`
        : undefined;
    default: {
      const isNeeded = mark?.isComplete ?? (file === TABLE_FILE && holdsService);
      if (!isNeeded) return undefined;
      return state.kind === 'missing' ? 'is missing' : 'is empty';
    }
  }
}

function stateOf(folder: string, name: DataFile): FileState {
  const path = join(folder, name);
  if (!existsSync(path)) return { kind: 'missing' };
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const tables = tablesOf(database);
    if (tables.length === 0) return { kind: 'empty' };
    const mark = markOf(database);
    if (mark !== undefined) return { kind: 'marked', ...mark };
    return { kind: 'foreign' };
  } catch (error) {
    return { kind: 'damaged', reason: (error as Error).message };
  } finally {
    database?.close();
  }
}

/** The names of the SQL tables of a database. */
export const tablesOf = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));

/** What a database says to which folder it belongs. */
export function markOf(database: DatabaseSync): Mark | undefined {
  if (!tablesOf(database).includes('folder')) return undefined;
  const row = database.prepare('SELECT * FROM folder').get();
  return (
    row && {
      identity: String(row.identity),
      file: String(row.file),
      layout: Number(row.layout),
      isComplete: row.isComplete === 1,
    }
  );
}

/** Writes to which folder a database belongs, within a transaction of the caller. */
export function writeMark(database: DatabaseSync, { identity, file, layout, isComplete }: Mark): void {
  database.exec(`CREATE TABLE IF NOT EXISTS folder
    (identity TEXT NOT NULL, file TEXT NOT NULL, layout INTEGER NOT NULL, isComplete INTEGER NOT NULL)`);
  database.exec('DELETE FROM folder');
  database
    .prepare('INSERT INTO folder (identity, file, layout, isComplete) VALUES (?, ?, ?, ?)')
    .run(identity, file, layout, Number(isComplete));
}

/**
 * Marks all files of a folder without problems that are not marked yet, and creates those that are missing: a folder that
 * is new, or where this was interrupted. The table's file is the first and the
 * last one. Returns the identity.
 */
export function markFiles(folder: string, { identity: known, isComplete }: Inspection): string {
  const identity = known ?? randomUUID();
  if (isComplete) return identity;
  const mark = (file: DataFile, complete: boolean): void => {
    const database = openPrivateDatabase(join(folder, file));
    try {
      database.exec(RECLAIMABLE);
      database.exec('BEGIN IMMEDIATE');
      writeMark(database, { identity, file, layout: LAYOUT, isComplete: complete });
      database.exec('COMMIT');
    } finally {
      database.close();
    }
  };
  mark(TABLE_FILE, false);
  for (const file of dataFileNames) if (file !== TABLE_FILE) mark(file, true);
  mark(TABLE_FILE, true);
  return identity;
}
