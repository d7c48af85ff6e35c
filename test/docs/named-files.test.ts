/** The files and tests in the tables of docs/security.md and docs/fixes.md. */
import { expect, test } from '@jest/globals';
import { readDocument } from './documents.ts';
import { isSource, isTest } from './named-files.ts';

const namesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The cells of the rows below a head. */
function rowsBelow(document: string, head: string): readonly (readonly string[])[] {
  const [, ...tables] = readDocument(document).split(`\n${head}\n`);
  return tables.flatMap((table) => {
    const [rows = ''] = table.split(/\n(?!\|)/);
    return rows
      .split('\n')
      .slice(1)
      .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
  });
}

const bounds = rowsBelow('docs/security.md', '| What | Bound | Where | Test |');
const advice = rowsBelow('docs/fixes.md', '| Rule | Protects | Test |');

test('every bound names files and tests that exist', () => {
  const files = bounds.flatMap(([, , where = '']) => namesIn(where));
  const tests = bounds.flatMap(([, , , shownBy = '']) => namesIn(shownBy));
  expect(files.length).toBeGreaterThan(80);
  expect(tests.length).toBeGreaterThan(80);
  expect(files.filter((name) => !isSource(name))).toEqual([]);
  expect(tests.filter((name) => !isTest(name))).toEqual([]);
});

test('every rule of advice names tests that exist', () => {
  const tests = advice.flatMap(([, , shownBy = '']) => namesIn(shownBy));
  expect(tests.length).toBeGreaterThan(15);
  expect(tests.filter((name) => !isTest(name))).toEqual([]);
});
