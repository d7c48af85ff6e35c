import { expect, test } from '@jest/globals';
import { decodeWords } from '../../../shared/mail-test/encoded-words.ts';

test.each([
  ['plain', 'plain'],
  ['=?UTF-8?B?R3LDvMOfZQ==?=', 'Grüße'],
  ['=?iso-8859-1?Q?Gr=FC=DFe_aus?= Bonn', 'Grüße aus Bonn'],
  ['=?UTF-8?Q?a?= =?UTF-8?Q?b?=', 'ab'],
  ['=?utf-8*en?q?a?=', 'a'],
  ['=?x-unknown?Q?a?=', '=?x-unknown?Q?a?='],
  ['=?UTF-8?X?a?=', '=?UTF-8?X?a?='],
  ['=?UTF-8?Q?=ZZ?=', '=ZZ'],
])('The words of %p are %p', (text, decoded) => {
  expect(decodeWords(text)).toBe(decoded);
});

test('Words without end are read in time', () => {
  const start = performance.now();
  for (const part of ['=?', '=?a?q?', '=?a?q?b?= ', '?=']) decodeWords(part.repeat(100_000));
  expect(performance.now() - start).toBeLessThan(5_000);
});
