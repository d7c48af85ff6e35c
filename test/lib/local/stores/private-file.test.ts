import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { openRecordStore } from '../../../../lib/local/example-internet/published-records.ts';
import { openStorage } from '../../../../lib/local/stores/dynamodb/storage.ts';
import { openObjectStore } from '../../../../lib/local/stores/objects/object-store.ts';
import {
  closeToOthers,
  makePrivateFolder,
  openPrivateDatabase,
} from '../../../../lib/local/stores/private-file.ts';
import { openQueueStore } from '../../../../lib/local/stores/queues/queue-store.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';

let folder: string;
beforeEach(() => {
  folder = useFolder('private');
  chmodSync(folder, 0o755);
});

const open: Readonly<Record<string, (path: string) => { close(): void }>> = {
  table: openStorage,
  objects: (path) => openObjectStore(path, ['mail']),
  queues: (path) => openQueueStore(path, []),
  records: openRecordStore,
};

/** Returns the names of files that anyone but their owner has permissions for. */
const openToOthers = (): string[] =>
  readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0);

test.each(Object.keys(open))('a commit of %s is on the disk before it is acknowledged', (kind) => {
  const exec = jest.spyOn(DatabaseSync.prototype, 'exec');
  const store = open[kind]?.(join(folder, 'file.sqlite'));
  const settings = exec.mock.calls.flatMap(([sql]) => sql.match(/synchronous\s*=\s*\w+/g) ?? []);
  exec.mockRestore();
  store?.close();
  const database = new DatabaseSync(join(folder, 'file.sqlite'));
  const { synchronous } = database.prepare('PRAGMA synchronous').get() ?? {};
  database.close();
  // 2 is FULL.
  expect([settings, synchronous]).toEqual([[], 2]);
});

test.each(Object.keys(open))('only the owner can read new files of %s', (kind) => {
  const store = open[kind]?.(join(folder, 'file.sqlite'));
  atEnd(() => store?.close());
  expect([readdirSync(folder).includes('file.sqlite'), openToOthers()]).toEqual([true, []]);
});

test.each(Object.keys(open))(
  'only the owner can read files of %s from an earlier version, whether open or left by a killed process',
  (kind) => {
    const path = join(folder, 'file.sqlite');
    const before = new DatabaseSync(path);
    atEnd(() => before.close());
    before.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (id INTEGER)');
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    expect(openToOthers()).toEqual(['file.sqlite', 'file.sqlite-shm', 'file.sqlite-wal']);
    const store = open[kind]?.(path);
    atEnd(() => store?.close());
    expect(openToOthers()).toEqual([]);
  },
);

test('a lock survives when the same process opens and closes the file again', () => {
  const path = join(folder, 'file.sqlite');
  const lock = openPrivateDatabase(path);
  lock.exec('BEGIN EXCLUSIVE');
  openPrivateDatabase(path).close();
  const attempt = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec('BEGIN EXCLUSIVE')`;
  const other = spawnSync(process.execPath, ['-e', attempt], { encoding: 'utf8', timeout: 60_000 });
  lock.close();
  expect(other.stderr).toContain('database is locked');
});

test('what its owner may do with a file stays, and what a link leads to is left alone', () => {
  const outside = useFolder('private');
  const files = { script: 0o755, text: 0o666, 'read-only': 0o444 };
  for (const [name, mode] of Object.entries(files)) {
    for (const place of [folder, outside]) {
      writeFileSync(join(place, name), '');
      chmodSync(join(place, name), mode);
    }
  }
  symlinkSync(outside, join(folder, 'link'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'));
  closeToOthers(folder);
  const modes = (place: string) => Object.keys(files).map((name) => statSync(join(place, name)).mode & 0o777);
  expect(modes(folder)).toEqual([0o700, 0o600, 0o400]);
  expect(modes(outside)).toEqual(Object.values(files));
});

test('a folder that is there is closed to others, and keeps what it holds', () => {
  const path = join(folder, 'outbox');
  mkdirSync(path);
  chmodSync(path, 0o755);
  writeFileSync(join(path, 'one.eml'), '');
  makePrivateFolder(path);
  expect([openToOthers(), readdirSync(path)]).toEqual([[], ['one.eml']]);
});
