/** `verify-data`: whether the files of the data folder are undamaged and belong together. Changes nothing. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pluralize } from '../../shared/protocol/quantity.ts';
import { damageIn } from '../local/host/damage.ts';
import { type DataFile, dataFileNames, dataFiles, inspectFiles, tablesOf } from '../local/host/data-files.ts';
import { TABLE_FILE } from '../local/stores/files.ts';

/** What a command prints, and whether all that it read is sound. */
export interface Checked {
  readonly lines: readonly string[];
  readonly isSound: boolean;
}

/** Reads everything in the folder, so it takes as long as reading the files. */
export function verifyData(folder: string): Checked {
  const { problems } = inspectFiles(folder);
  if (problems.length === 0 && !existsSync(join(folder, TABLE_FILE)))
    return { lines: [`${folder} contains no service`], isSound: false };
  const rows = dataFileNames.map((file): { readonly file: DataFile; readonly found: readonly string[] } => {
    const found = problems.filter((one) => one.file === file).map(({ problem }) => problem);
    if (found.length > 0 || !existsSync(join(folder, file))) return { file, found };
    const damage = damageIn(join(folder, file), 'integrity_check');
    return { file, found: [...damage, ...(damage.length === 0 ? unreadableIn(folder, file) : [])] };
  });
  const isSound = rows.every(({ found }) => found.length === 0);
  return {
    isSound,
    lines: [
      ...rows.flatMap(({ file, found }) =>
        found.length === 0
          ? [`${file}  ok, ${contentsOf(folder, file)}`]
          : found.map((one) => `${file}  ${one}`),
      ),
      isSound
        ? `${folder} is sound`
        : `${folder} is damaged: stop the service, keep a copy of the folder, and restore it from a backup`,
    ],
  };
}

function contentsOf(folder: string, file: DataFile): string {
  if (!existsSync(join(folder, file))) return 'not there yet';
  return reading(folder, file, (database) => {
    const rows = dataFiles[file];
    if (!tablesOf(database).includes(rows)) return 'empty';
    return pluralize(
      Number(database.prepare(`SELECT count(*) AS n FROM ${rows}`).get()?.n),
      rows.slice(0, -1),
    );
  });
}

/** Content that no longer is what was written, although the structure around it is undamaged. */
function unreadableIn(folder: string, file: DataFile): string[] {
  return reading(folder, file, (database) => {
    const rows = dataFiles[file];
    if (!tablesOf(database).includes(rows)) return [];
    if (rows === 'objects') {
      const wrong = [...database.prepare('SELECT key, md5, content FROM objects').iterate()].flatMap(
        ({ key, md5, content }) => (md5Of(content) === md5 ? [] : [String(key)]),
      );
      return wrong.map((key) => `has an object that does not match its checksum: ${key}`);
    }
    if (rows !== 'items') return [];
    const [row] = database.prepare('SELECT count(*) AS n FROM items WHERE NOT json_valid(body)').all();
    const wrong = Number(row?.n);
    return wrong === 0 ? [] : [`has ${pluralize(wrong, 'item')} that cannot be read`];
  });
}

const md5Of = (content: unknown): string =>
  createHash('md5')
    .update(content as Uint8Array)
    .digest('hex');

function reading<T>(folder: string, file: DataFile, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, file), { readOnly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}
