import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('the tests that start first exist', () => {
  const sequencer = readFileSync(new URL('../kit/jest/sequencer.js', import.meta.url), 'utf8');
  const names = [...sequencer.matchAll(/'([\w/-]+\.long)'/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !existsSync(new URL(`../${name}.test.ts`, import.meta.url)))).toEqual([]);
});
