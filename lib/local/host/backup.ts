/**
 * Backups of a data folder: one `.tar.gz` with a copy of each database, the files without which they are of no use, and a
 * manifest. All databases are copied as they were at one moment, while the service goes on.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { create, extract } from 'tar';
import * as z from 'zod/mini';
import { DataFolderError, TABLE_FILE } from '../stores/files.ts';
import { jsonIn } from '../stores/json-body.ts';
import { KEY_FILE } from '../stores/kms/key-file.ts';
import { SIGNING_KEY_FILE } from '../stores/kms/signing-key.ts';
import { closeToOthers, LOCK_MILLISECONDS } from '../stores/private-file.ts';
import { dataFileNames, LAYOUT, TOKEN_FILE } from './data-files.ts';
import { requireFiles } from './data-folder.ts';
import { release } from './release.ts';

const MANIFEST = 'manifest.json';

/** Besides databases. Alert mails and certificates are not part of a backup. */
const OTHER_FILES = [KEY_FILE, SIGNING_KEY_FILE, TOKEN_FILE];

const FILES: readonly string[] = [...dataFileNames, ...OTHER_FILES];

/** Pages per step of the copy: a step keeps no other program waiting. */
const PAGES = 1000;

const manifestSchema = z.object({
  /** The layout of the data folder. */
  layout: z.number(),
  /** The version of the service. */
  version: z.string(),
  createdAt: z.string(),
  files: z.array(
    // The archive decides nothing about where files go.
    z.object({
      name: z.string().check(z.refine((name) => FILES.includes(name))),
      bytes: z.number(),
      sha256: z.string(),
    }),
  ),
});

export type Manifest = z.output<typeof manifestSchema>;

/** Gets how much of the work is done, often. */
type OnProgress = (done: number, total: number) => void;

/**
 * Writes a backup of the folder to a new file, which only its owner can read. Needs as much space beside it for the time
 * of the copy. @throws DataFolderError
 */
export async function writeBackup(
  folder: string,
  file: string,
  now: Date,
  onProgress?: OnProgress,
): Promise<Manifest> {
  requireFiles(folder);
  if (!existsSync(join(folder, TABLE_FILE))) throw new DataFolderError(`${folder} contains no service`);
  if (existsSync(file)) throw new DataFolderError(`${file} exists already`);
  const part = `${file}.part`;
  const copies = `${part}.d`;
  rmSync(copies, { recursive: true, force: true });
  mkdirSync(copies, { mode: 0o700 });
  try {
    const databases = dataFileNames.filter((name) => existsSync(join(folder, name)));
    const bytes = databases.reduce((sum, name) => sum + lstatSync(join(folder, name)).size, 0);
    // Everything is copied, read for its checksum, and compressed.
    const add = countingTo(3 * bytes, onProgress);
    await copyDatabases(databases, { folder, copies, add });
    for (const name of OTHER_FILES)
      if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(copies, name));
    const names = readdirSync(copies);
    const files = await Promise.all(names.map((name) => summaryOf(copies, name, add)));
    const manifest: Manifest = { layout: LAYOUT, version: release(), createdAt: now.toISOString(), files };
    writeFileSync(join(copies, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
    rmSync(part, { force: true });
    closeSync(openSync(part, 'wx', 0o600));
    // The lowest level is four times as fast as the default, and the result a little larger.
    let packed = 0;
    const onWriteEntry = ({ stat }: { readonly stat?: { readonly size: number } }) => {
      add(packed);
      packed = stat?.size ?? 0;
    };
    await create({ file: part, cwd: copies, gzip: { level: 1 }, portable: true, onWriteEntry }, [
      MANIFEST,
      ...names,
    ]);
    add(packed);
    synchronize(part);
    renameSync(part, file);
    return manifest;
  } finally {
    rmSync(copies, { recursive: true, force: true });
    rmSync(part, { force: true });
  }
}

/** A function that adds bytes to what is done. */
function countingTo(total: number, onProgress: OnProgress = () => {}): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    onProgress(Math.min(done, total), total);
  };
}

interface Copying {
  readonly folder: string;
  readonly copies: string;
  /** Gets how many bytes were copied. */
  readonly add: (bytes: number) => void;
}

/** Copies the databases as they are at the moment when no other program can write to any of them. */
async function copyDatabases(
  names: readonly (typeof dataFileNames)[number][],
  { folder, copies, add }: Copying,
): Promise<void> {
  const open: DatabaseSync[] = [];
  const opened = (name: string, options: ConstructorParameters<typeof DatabaseSync>[1]) => {
    const database = new DatabaseSync(join(folder, name), options);
    open.push(database);
    return database;
  };
  try {
    const writers = names.map((name) => {
      const database = opened(name, { timeout: LOCK_MILLISECONDS });
      database.exec('BEGIN IMMEDIATE');
      return database;
    });
    const readers = names.map((name) => {
      const database = opened(name, { readOnly: true });
      // The first read fixes what the transaction sees.
      database.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
      return database;
    });
    for (const database of writers) database.exec('ROLLBACK');
    for (const [at, name] of names.entries()) {
      const reader = readers[at];
      if (reader === undefined) continue;
      const { size } = lstatSync(join(folder, name));
      let copied = 0;
      const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) => {
        const now = Math.round((size * (totalPages - remainingPages)) / totalPages);
        add(now - copied);
        copied = now;
      };
      await backup(reader, join(copies, name), { rate: PAGES, progress });
      add(size - copied);
    }
  } finally {
    for (const database of open) database.close();
  }
}

/**
 * Unpacks a backup into an existing, empty folder and compares each file with the manifest.
 * @throws DataFolderError if the file is no backup, is damaged, or needs another version of the service.
 */
export async function unpackBackup(file: string, folder: string, onProgress?: OnProgress): Promise<Manifest> {
  try {
    const known = [MANIFEST, ...FILES];
    await extract({
      file,
      cwd: folder,
      strict: true,
      filter: (path, entry) => known.includes(path) && 'type' in entry && entry.type === 'File',
    });
  } catch (error) {
    throw new DataFolderError(`${file} is no complete backup: ${(error as Error).message}`);
  }
  const manifest = readManifest(file, join(folder, MANIFEST));
  rmSync(join(folder, MANIFEST));
  if (manifest.layout !== LAYOUT)
    throw new DataFolderError(
      `${file} has layout ${manifest.layout}, and this version needs layout ${LAYOUT}: restore it with version ${manifest.version} of the service, and upgrade then`,
    );
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const add = countingTo(total, onProgress);
  for (const { name, bytes, sha256 } of manifest.files) {
    const found = existsSync(join(folder, name)) ? await summaryOf(folder, name, add) : undefined;
    if (found?.bytes !== bytes || found.sha256 !== sha256)
      throw new DataFolderError(`${file} is damaged: ${name} is not what the manifest says`);
  }
  return manifest;
}

function readManifest(file: string, path: string): Manifest {
  const parsed = existsSync(path)
    ? manifestSchema.safeParse(jsonIn(readFileSync(path)))
    : { success: false as const };
  if (parsed.success) return parsed.data;
  throw new DataFolderError(`${file} is no backup: it has no valid ${MANIFEST}`);
}

/**
 * Restores a backup into a data folder that does not exist or is empty. The table's file comes last: until then, no service
 * uses the folder. @throws DataFolderError
 */
export async function restoreBackup(
  file: string,
  folder: string,
  onProgress?: OnProgress,
): Promise<Manifest> {
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== PART_FOLDER))
    throw new DataFolderError(
      `${folder} is not empty: restore into a new folder, or move what it contains away`,
    );
  const part = join(folder, PART_FOLDER);
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o700 });
  try {
    const manifest = await unpackBackup(file, part, onProgress);
    requireFiles(part);
    const names = manifest.files.map(({ name }) => name);
    for (const name of [...names.filter((one) => one !== TABLE_FILE), TABLE_FILE]) {
      synchronize(join(part, name));
      renameSync(join(part, name), join(folder, name));
    }
    synchronize(folder);
    closeToOthers(folder);
    return manifest;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Where a restore prepares the files; what a killed one left is removed. */
const PART_FOLDER = '.restore';

async function summaryOf(
  folder: string,
  name: string,
  add: Copying['add'],
): Promise<Manifest['files'][number]> {
  const path = join(folder, name);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    add(chunk.length);
  }
  return { name: basename(path), bytes: lstatSync(path).size, sha256: hash.digest('hex') };
}

/** Waits until a file, or the entries of a folder, are on the disk. */
function synchronize(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A folder for unpacked files beside a backup, where there is space for them. */
export const besideBackup = (file: string): string => join(dirname(file), `.${basename(file)}.unpacked`);
