/** The folder that holds everything the local host keeps, and the claim that one service makes on it. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataFolderError, presenceOf, TABLE_FILE } from '../stores/files.ts';
import { closeToOthers, openPrivateDatabase } from '../stores/private-file.ts';
import { type DataCheck, startDataCheck } from './data-check.ts';
import {
  dataFileNames,
  inspectFiles,
  LAYOUT,
  markFiles,
  markOf,
  type Problem,
  writeMark,
} from './data-files.ts';
import { called } from './release.ts';

export interface DataFolder {
  /** The absolute path. */
  readonly path: string;
  /** The check of the files for damage, which goes on in the background if it takes longer than the start may. */
  readonly check: DataCheck;
  /** @throws an error that names the file if one of them was deleted or replaced since the start. */
  requireFiles(): void;
  stop(): Promise<void>;
}

const LOCK_FILE = 'service.lock';

/** How long the start waits for the check of the files. */
const CHECK_MILLISECONDS = 2000;

/**
 * Makes the folder, sees that it can be written to, and claims it: a second service on the same folder is refused, and so
 * is a folder whose files are damaged or do not belong together, unchanged.
 *
 * The claim is a lock of the operating system on a file, so it ends with the process however that ends. The file contains
 * the identity of the folder. If it does not, it is new, and perhaps in the place of a deleted one that a service still
 * holds; such a service has the table's file open, too.
 *
 * Whatever the folder holds is closed to others, and so is every file that this process creates from now on: received
 * mail, addresses and secrets.
 * @throws DataFolderError
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  let lock: DatabaseSync | undefined;
  let check: DataCheck | undefined;
  try {
    process.umask(0o077);
    makeFolder(path);
    lock = openPrivateDatabase(join(path, LOCK_FILE));
    // The lock stays when the transaction ends.
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const inspection = requireFiles(path);
    const isOurs = inspection.identity !== undefined && markOf(lock)?.identity === inspection.identity;
    if (!isOurs) requireClosed(join(path, TABLE_FILE));
    const held = lock;
    const started = startDataCheck(path);
    check = started;
    const damage = await started.within(CHECK_MILLISECONDS);
    if (damage !== undefined) throw refused(path, damage);
    const identity = markFiles(path, inspection);
    if (!isOurs) writeMark(held, { identity, file: LOCK_FILE, layout: LAYOUT, isComplete: true });
    held.exec('COMMIT');
    closeToOthers(realpathSync(path));
    const presences = dataFileNames.map((name) => presenceOf(join(path, name)));
    return {
      path,
      requireFiles() {
        for (const require of presences) require();
      },
      check: started,
      async stop() {
        await started.stop();
        held.close();
      },
    };
  } catch (error) {
    await check?.stop();
    lock?.close();
    if (error instanceof DataFolderError) throw error;
    const reason = (error as Error).message;
    throw new DataFolderError(
      /locked|busy/i.test(reason)
        ? `DATA_DIR ${path} is in use by another service`
        : `DATA_DIR ${path} cannot be used: ${reason}`,
    );
  }
}

/** What the files of a folder are. @throws DataFolderError if they are damaged or do not belong together. */
export function requireFiles(path: string) {
  const inspection = inspectFiles(path);
  const [problem] = inspection.problems;
  if (problem !== undefined) throw refused(path, problem);
  return inspection;
}

const refused = (path: string, { file, problem }: Problem): DataFolderError =>
  new DataFolderError(
    `DATA_DIR ${path} cannot be used: ${file} ${problem}. Nothing was changed. If it is damaged, restore it from a backup; "${called('admin')} verify-data" shows what each file contains`,
  );

/** @throws an error of SQLite if another process has the database open. */
function requireClosed(path: string): void {
  if (!existsSync(path)) return;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // In this mode, a process is the only one that has the file open.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK');
  } finally {
    database.close();
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
