import { expect, test } from '@jest/globals';
import { checkPath, nameInside } from '../../../shared/pages/check-form.ts';

test.each([
  ['example.org', 'example.org'],
  ['  example.org ', 'example.org'],
  ['https://example.org/path?x#y', 'example.org'],
  ['http://me:secret@example.org:8080/', 'example.org'],
  ['mailto:me@example.org?subject=x', 'example.org'],
  ['me@example.org', 'example.org'],
  ['_spf.example.org:53', '_spf.example.org'],
  ['192.0.2.1', '192.0.2.1'],
  ['example.org/', 'example.org'],
  ['a b.example', 'a b.example'],
  ['', ''],
])('the name inside %j is %j', (typed, name) => {
  expect(nameInside(typed)).toBe(name);
});

test('a long line takes no long time', () => {
  const started = performance.now();
  nameInside(`${'a'.repeat(100_000)}@${'b:'.repeat(100_000)}`);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('the address of a check holds any name', () => {
  expect(new URL(checkPath('a&b=c'), 'http://x').searchParams.get('domain')).toBe('a&b=c');
});
