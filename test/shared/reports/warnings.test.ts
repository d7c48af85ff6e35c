import { readdirSync, readFileSync } from 'node:fs';
import { expect, describe as suite, test } from '@jest/globals';
import { describe, Warnings, warningIds } from '../../../shared/reports/warnings.ts';

suite('the catalogue of warnings', () => {
  const here = new URL('./', import.meta.url);
  const tests = readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.ts(?:\.snap)?$/.test(name) && name !== 'warnings.test.ts')
    .map((name) => readFileSync(new URL(name, here), 'utf8'))
    .join('\n');

  // A recording has the number of times after the id.
  test.each(warningIds)('has a test that raises %s', (id) => {
    expect(tests).toMatch(new RegExp(`'${id}'|"${id} \\d`));
  });
});

suite('a warning', () => {
  const lines: readonly (readonly [Parameters<typeof describe>[0], string])[] = [
    [{ id: 'no-records', count: 1 }, 'The report has no records'],
    [{ id: 'not-utf-8', count: 3 }, 'The text contains bytes that are not valid in its encoding (3 times)'],
    [
      { id: 'trailing-bytes', count: 1, value: '2 bytes' },
      'There are extra bytes after the compressed data ("2 bytes")',
    ],
    [
      { id: 'stray-text', count: 1, at: 'policy_published', value: '11' },
      'There is text between elements (at policy_published: "11")',
    ],
    [
      { id: 'stray-text', count: 2, at: 'record[7]', value: '11' },
      'There is text between elements (2 times, first at record[7]: "11")',
    ],
  ];
  test.each(lines)('%j reads as a sentence', (warning, sentence) => {
    expect(describe(warning)).toBe(sentence);
  });

  test('contains at most 100 characters of the text, without control characters', () => {
    const warnings = new Warnings();
    warnings.add('stray-text', undefined, `\u001b[31m${'x'.repeat(500)}`);
    const [{ value = '' } = {}] = warnings.list();
    expect(value).toMatch(/^\\u\{1b\}\[31mx+\.\.\.$/);
    expect(value.length).toBeLessThanOrEqual(107);
  });
});
