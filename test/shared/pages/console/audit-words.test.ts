import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { actionInWords, auditWords } from '../../../../shared/pages/console/audit-words.ts';

/** What changes nothing that the audit log would have. */
const unrecorded = [
  ...['checkAnyDomain', 'checkSpf', 'getEvidence', 'getFixes', 'previewChecks', 'signIn'],
  ...['rehearseRestore', 'restoreTable', 'simulateRecords'],
];

test('every operation has words', () => {
  const root = 'shared/operations';
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const names = files.flatMap((file) => {
    const found = /^ {2}name: '(\w+)'/m.exec(readFileSync(`${root}/${file}`, 'utf8'))?.[1];
    return found === undefined ? [] : [found];
  });
  const expected = [...new Set(names)].filter((name) => !unrecorded.includes(name));
  expect(expected.length).toBeGreaterThan(20);
  expect(Object.keys(auditWords).toSorted()).toEqual(expected.toSorted());
});

test('an unknown action is shown by its name', () => {
  expect(['deleteToken', 'later', 'constructor'].map(actionInWords)).toEqual([
    'Revoked the token',
    'later',
    'constructor',
  ]);
});
