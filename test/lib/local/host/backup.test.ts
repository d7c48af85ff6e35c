import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { create } from 'tar';
import { restoreBackup, writeBackup } from '../../../../lib/local/host/backup.ts';
import { inspectFiles, markFiles } from '../../../../lib/local/host/data-files.ts';
import { DataFolderError } from '../../../../lib/local/stores/files.ts';
import { openKeyFile } from '../../../../lib/local/stores/kms/key-file.ts';
import { openObjectStore } from '../../../../lib/local/stores/objects/object-store.ts';
import { useFolder } from '../../../kit/use.ts';

const now = new Date('2026-03-01T10:00:00Z');

let parent: string;
let data: string;
let file: string;
beforeEach(() => {
  parent = useFolder('backup');
  data = join(parent, 'data');
  file = join(parent, 'backup.tar.gz');
  mkdirSync(data);
  markFiles(data, inspectFiles(data));
  openKeyFile(join(data, 'secrets.key'));
});

function put(content: Uint8Array): void {
  const store = openObjectStore(join(data, 'objects.sqlite'), ['mail']);
  const facts = { key: 'k', size: content.length, md5: '', crc32: 0, modified: now, headers: {} };
  store.put('mail', { ...facts, content });
  store.close();
}
const got = (folder: string): Uint8Array | undefined => {
  const store = openObjectStore(join(folder, 'objects.sqlite'), ['mail']);
  try {
    return store.get('mail', 'k')?.content;
  } finally {
    store.close();
  }
};

describe('a backup', () => {
  test('is restored with all that it needs, and with nothing else', async () => {
    put(Buffer.from('as it was'));
    for (const name of ['outbox', 'lego']) mkdirSync(join(data, name));
    const shown: [number, number][] = [];
    const show = (done: number, total: number) => void shown.push([done, total]);
    const manifest = await writeBackup(data, file, now, show);
    expectProgress(shown.splice(0));
    put(Buffer.from('as it is'));
    expect(manifest).toMatchObject({ layout: 1, createdAt: now.toISOString() });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(parent).toSorted()).toEqual(['backup.tar.gz', 'data']);
    const elsewhere = join(parent, 'elsewhere');
    expect(await restoreBackup(file, elsewhere, show)).toEqual(manifest);
    expectProgress(shown);
    expect(readdirSync(elsewhere).toSorted()).toEqual(manifest.files.map(({ name }) => name).toSorted());
    expect(Buffer.from(got(elsewhere) ?? []).toString()).toBe('as it was');
    expect(readFileSync(join(elsewhere, 'secrets.key'))).toEqual(readFileSync(join(data, 'secrets.key')));
    expect(inspectFiles(elsewhere)).toMatchObject({ problems: [], isComplete: true });
  });

  test('waits for a write in progress, and sees all of it or none in every file', async () => {
    const databases = ['objects', 'queues'].map((name) => new DatabaseSync(join(data, `${name}.sqlite`)));
    for (const database of databases)
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE n (n INTEGER); INSERT INTO n VALUES (0)');
    let n = 0;
    // One write after the other, as the service stores a message and then its notification.
    const writing = setInterval(() => {
      n += 1;
      for (const database of databases) database.exec(`UPDATE n SET n = ${n}`);
    }, 1);
    await writeBackup(data, file, now);
    clearInterval(writing);
    for (const database of databases) database.close();
    const elsewhere = join(parent, 'elsewhere');
    await restoreBackup(file, elsewhere);
    const [objects = 0, queues = 0] = ['objects', 'queues'].map((name) => {
      const database = new DatabaseSync(join(elsewhere, `${name}.sqlite`));
      const row = database.prepare('SELECT n FROM n').get();
      database.close();
      return Number(row?.n);
    });
    expect(n).toBeGreaterThan(3);
    // A message without its notification is possible, as after a crash, but no notification without its message.
    expect([0, 1]).toContain(objects - queues);
  });

  test('replaces no file, and is not made of a folder without a service', async () => {
    writeFileSync(file, 'precious');
    await expect(writeBackup(data, file, now)).rejects.toThrow(/exists already$/);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await expect(writeBackup(join(parent, 'none'), join(parent, 'other'), now)).rejects.toThrow(
      /contains no service/,
    );
    expect(existsSync(join(parent, 'other'))).toBe(false);
  });
});

describe('a restore', () => {
  test('leaves a folder that is not empty as it is', async () => {
    await writeBackup(data, file, now);
    const before = readdirSync(data);
    await expect(restoreBackup(file, data)).rejects.toThrow(/is not empty/);
    expect(readdirSync(data)).toEqual(before);
  });

  test('continues after one that was killed', async () => {
    put(Buffer.from('kept'));
    await writeBackup(data, file, now);
    const elsewhere = join(parent, 'elsewhere');
    mkdirSync(join(elsewhere, '.restore'), { recursive: true, mode: 0o755 });
    writeFileSync(join(elsewhere, '.restore', 'table.sqlite'), 'a part');
    await restoreBackup(file, elsewhere);
    expect(inspectFiles(elsewhere).problems).toEqual([]);
    const modes = ['', ...readdirSync(elsewhere)].map((name) => statSync(join(elsewhere, name)).mode & 0o077);
    expect(modes.length).toBeGreaterThan(4);
    expect(modes.filter((mode) => mode !== 0)).toEqual([]);
  });

  /** Makes a backup, and changes what is in its archive. */
  async function backupWith(change: (unpacked: string) => void): Promise<void> {
    await writeBackup(data, file, now);
    const unpacked = join(parent, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', file, '-C', unpacked]);
    change(unpacked);
    await create({ file, cwd: unpacked, gzip: true }, readdirSync(unpacked));
  }
  /** Makes a backup with another manifest. */
  const backupBy = (change: (manifest: { files: object[] }) => object) =>
    backupWith((unpacked) => {
      const path = join(unpacked, 'manifest.json');
      writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
    });

  const attempt = async () => {
    const elsewhere = join(parent, 'elsewhere');
    const outcome = await restoreBackup(file, elsewhere).catch((error: unknown) => error);
    expect(readdirSync(elsewhere)).toEqual([]);
    return outcome;
  };

  test('of a cut or changed file says so, and leaves the folder empty', async () => {
    put(Buffer.alloc(300_000, 'x'));
    // A byte of a file, in an archive that is sound.
    await backupWith((unpacked) => {
      const changed = readFileSync(join(unpacked, 'objects.sqlite'));
      changed.writeUInt8(changed.readUInt8(5_000) ^ 1, 5_000);
      writeFileSync(join(unpacked, 'objects.sqlite'), changed);
    });
    expect(await attempt()).toMatchObject({
      message: expect.stringMatching(/objects\.sqlite is not what the manifest says/),
    });
    const whole = readFileSync(file);
    for (const cut of [whole.subarray(0, whole.length / 2), 'no archive at all']) {
      writeFileSync(file, cut);
      expect(await attempt()).toBeInstanceOf(DataFolderError);
    }
  });

  test('of another layout says which version restores it', async () => {
    await backupBy((manifest) => ({ ...manifest, layout: 7, version: '9.8.7' }));
    expect(await attempt()).toMatchObject({ message: expect.stringMatching(/layout 7.*version 9\.8\.7/) });
  });

  test('takes only the known files from an archive', async () => {
    await backupWith((unpacked) => {
      writeFileSync(join(unpacked, 'addresses.json'), '{}');
      symlinkSync('/etc', join(unpacked, 'outbox'));
    });
    const elsewhere = join(parent, 'elsewhere');
    await restoreBackup(file, elsewhere);
    expect(readdirSync(elsewhere)).not.toContain('outbox');
    expect(readdirSync(elsewhere)).not.toContain('addresses.json');
  });

  test('moves no file that a manifest names elsewhere', async () => {
    const sha256 = createHash('sha256').update('x').digest('hex');
    const victim = { name: '../../victim', bytes: 1, sha256 };
    await backupBy((manifest) => ({ ...manifest, files: [...manifest.files, victim] }));
    writeFileSync(join(parent, 'victim'), 'x');
    expect(await attempt()).toMatchObject({ message: expect.stringContaining('no valid manifest.json') });
    expect(existsSync(join(parent, 'victim'))).toBe(true);
  });

  test('writes nothing outside of its folder', async () => {
    writeFileSync(join(parent, 'secrets.key'), 'x');
    execFileSync('tar', ['-czPf', file, '-C', data, '../secrets.key']);
    rmSync(join(parent, 'secrets.key'));
    expect(await attempt()).toBeInstanceOf(DataFolderError);
    expect(existsSync(join(parent, 'secrets.key'))).toBe(false);
  });
});

/** Progress only grows, in steps, to the whole. */
function expectProgress(shown: readonly (readonly [number, number])[]): void {
  expect(shown.length).toBeGreaterThan(3);
  const done = shown.map(([one]) => one);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  const [last, total] = shown.at(-1) ?? [];
  expect(last).toBe(total);
}
