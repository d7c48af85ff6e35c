import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { inspectFiles, markFiles } from '../../../../lib/local/host/data-files.ts';
import { watchStorage } from '../../../../lib/local/host/storage-watch.ts';
import { openObjectStore } from '../../../../lib/local/stores/objects/object-store.ts';
import { createLog } from '../../../../shared/runtime/logging/log.ts';
import { until } from '../../../kit/until.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';

let path: string;
beforeEach(() => {
  path = useFolder('storage');
});

const log = createLog('silent');
const start = (requireFiles = () => {}) => {
  const watch = watchStorage({ path, requireFiles }, log, 10);
  atEnd(() => watch.stop());
  return watch;
};

/** The error of a statement on a database that cannot be written. */
function errorOf(options: { readonly readOnly?: boolean; readonly pages?: number }, sql: string): unknown {
  const file = join(path, 'data.sqlite');
  if (!existsSync(file)) new DatabaseSync(file).exec('CREATE TABLE t (x)');
  const database = new DatabaseSync(file, { readOnly: options.readOnly ?? false });
  try {
    database.exec(`PRAGMA max_page_count = ${options.pages ?? 1_000}`);
    database.exec(sql);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    database.close();
  }
}

describe('the watch', () => {
  test.each([
    ['a full disk', { pages: 2 }, 'INSERT INTO t VALUES (zeroblob(100000))', /full/],
    ['a read-only file', { readOnly: true }, 'INSERT INTO t VALUES (1)', /readonly/],
  ])('notices %s, and that writes work again', async (_, options, sql, reason) => {
    const running = start();
    running.failed(errorOf(options, sql));
    expect(running.problem()).toMatch(reason);
    await until(() => running.problem() === undefined, { intervalMilliseconds: 5 });
    expect(readdirSync(path).filter((name) => name.includes('probe'))).toEqual([]);
  });

  test('does what is to be done afterwards, and waits if that fails', async () => {
    const running = start();
    let calls = 0;
    running.onRecovery(() => {
      calls += 1;
      if (calls === 1) throw new Error('full again');
    });
    running.failed(errorOf({ pages: 2 }, 'INSERT INTO t VALUES (zeroblob(100000))'));
    await until(() => running.problem() === 'full again', { intervalMilliseconds: 1 });
    await until(() => running.problem() === undefined, { intervalMilliseconds: 5 });
    expect(calls).toBe(2);
  });

  test('does not take other errors for it', () => {
    const running = start();
    running.failed(errorOf({}, 'no SQL'));
    running.failed(new Error('another one'));
    expect(running.problem()).toBeUndefined();
  });

  test('waits until the files are back', async () => {
    let areThere = false;
    const running = start(() => {
      if (!areThere) throw new Error('table.sqlite was deleted');
    });
    running.failed(new Error('any'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(running.problem()).toBe('table.sqlite was deleted');
    areThere = true;
    await until(() => running.problem() === undefined, { intervalMilliseconds: 5 });
  });
});

test('removed objects give their space back, a part at a time', () => {
  markFiles(path, inspectFiles(path));
  const file = join(path, 'objects.sqlite');
  const store = openObjectStore(file, ['mail']);
  const content = Buffer.alloc(1_000_000, 'x');
  for (let n = 0; n < 20; n += 1) {
    const facts = { key: `k${n}`, size: content.length, md5: '', crc32: 0, headers: {} };
    store.put('mail', { ...facts, modified: new Date(n < 18 ? '2026-01-01' : '2026-03-01'), content });
  }
  store.expire(new Date('2026-02-01'));
  for (let n = 0; n < 10; n += 1) store.giveBackSpace();
  store.close();
  expect(statSync(file).size).toBeLessThan(8_000_000);
  const again = openObjectStore(file, ['mail']);
  expect([again.head('mail', 'k0'), again.get('mail', 'k19')?.content]).toEqual([
    undefined,
    new Uint8Array(content),
  ]);
  again.close();
});
