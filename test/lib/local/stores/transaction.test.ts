import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { openPrivateDatabase } from '../../../../lib/local/stores/private-file.ts';
import { transactionsOf } from '../../../../lib/local/stores/transaction.ts';
import { atEnd, useFolder } from '../../../kit/use.ts';

let folder: string;
let database: ReturnType<typeof openPrivateDatabase>;
let transaction: ReturnType<typeof transactionsOf>;
beforeEach(() => {
  folder = useFolder('transaction');
  database = openPrivateDatabase(join(folder, 'a.sqlite'));
  atEnd(() => database.close());
  database.exec('CREATE TABLE names (name TEXT)');
  transaction = transactionsOf(database, join(folder, 'a.sqlite'));
});

const insert = (name: string) => database.prepare('INSERT INTO names VALUES (?)').run(name);
const names = () =>
  database
    .prepare('SELECT name FROM names')
    .all()
    .map(({ name }) => name);

test('stores everything and returns the result, or stores nothing', () => {
  expect(transaction(() => insert('a').changes)).toBe(1);
  const failing = () => {
    insert('b');
    throw new Error('later');
  };
  expect(() => transaction(failing)).toThrow('later');
  transaction(() => insert('c'));
  expect(names()).toEqual(['a', 'c']);
});

test('leaves only what is fleeting out of the disk until a later commit', () => {
  // 1: NORMAL, 2: FULL.
  const synchronous = () => database.prepare('PRAGMA synchronous').get()?.synchronous;
  const failing = () => {
    throw new Error('later');
  };
  expect(transaction(synchronous)).toBe(2);
  expect(transaction(synchronous, { fleeting: true })).toBe(1);
  expect(() => transaction(failing, { fleeting: true })).toThrow('later');
  expect(transaction(synchronous)).toBe(2);
});

test('throws what went wrong, also if SQLite has already rolled back, as for a full disk', () => {
  const failing = () => {
    insert('a');
    database.exec('ROLLBACK');
    throw new Error('database or disk is full');
  };
  expect(() => transaction(failing)).toThrow('database or disk is full');
  transaction(() => insert('b'));
  expect(names()).toEqual(['b']);
});

test('does not begin if the file was replaced', () => {
  renameSync(join(folder, 'a.sqlite'), join(folder, 'b.sqlite'));
  expect(() => transaction(() => insert('a'))).toThrow('was deleted or replaced');
});
