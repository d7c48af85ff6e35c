/** The table of the OWASP ASVS in docs/security.md. */
import { expect, test } from '@jest/globals';
import { readDocument } from './documents.ts';
import { isTest } from './named-files.ts';

/** How many requirements of levels 1 and 2 of version 5.0.0 each section of each chapter has; they are numbered from 1. */
const chapters: readonly (readonly number[])[] = [
  [2, 9, 11, 3, 2],
  [3, 3, 4, 1],
  [0, 2, 4, 6, 5, 0, 2],
  [3, 1, 2, 4],
  [1, 3, 2, 3],
  [3, 12, 4, 4, 5, 3, 0, 4],
  [3, 4, 2, 5, 2, 2],
  [2, 3, 1, 1],
  [3, 4],
  [2, 2, 4, 11, 5, 2, 3],
  [2, 3, 3, 4, 1, 1],
  [3, 2, 4],
  [1, 5, 2, 5],
  [2, 4, 3],
  [3, 3, 7],
  [1, 5, 4, 3, 3],
  [1, 4, 2],
];

const [, chapter = ''] = readDocument('docs/security.md').split('## OWASP ASVS 5.0, level 2');
const rows = [...chapter.matchAll(/^\| (V[\d., V]+) \| (.+?) \| (.+?) \| (.+?) \|(.*)\|$/gm)];

test('names each requirement once', () => {
  const wanted = chapters.flatMap((sections, c) =>
    sections.flatMap((count, s) => Array.from({ length: count }, (_, n) => `V${c + 1}.${s + 1}.${n + 1}`)),
  );
  const named = rows.flatMap(([, ids = '']) => ids.split(', '));
  expect(named.toSorted()).toEqual(wanted.toSorted());
  expect(named).toHaveLength(253);
});

test.each(rows.map(([, ids = '', , state = '', how = '', tests = '']) => [ids, state, how, tests] as const))(
  '%s: %s, with a reason, and tests that exist',
  (_ids, state, how, tests) => {
    expect(['Holds', 'Partly', 'Open', 'Not applicable']).toContain(state);
    expect(how.length).toBeGreaterThan(3);
    for (const [, name = ''] of tests.matchAll(/`([^`]+)`/g))
      expect([name, isTest(name)]).toEqual([name, true]);
  },
);
