import { expect, test } from '@jest/globals';
import { decodeWords } from '../../../shared/mail-test/encoded-words.ts';

test.each([
  ['plain', 'plain'],
  ['=?UTF-8?B?R3LDvMOfZQ==?=', 'Grüße'],
  ['=?iso-8859-1?Q?Gr=FC=DFe_aus?= Bonn', 'Grüße aus Bonn'],
  ['=?UTF-8?Q?a?= =?UTF-8?Q?b?=', 'ab'],
  ['=?UTF-8?Q?a?==?iso-8859-1?Q?=FC?=', 'aü'],
  ['=?UTF-8?B?R3LD?= =?UTF-8?B?vMOfZQ==?=', 'Grüße'],
  ['=?UTF-8?Q?Gr=C3?=\t=?utf-8?B?vMOfZQ==?= aus', 'Grüße aus'],
  ['=?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?= =?ISO-2022-JP?B?GyRCJUYlOSVIGyhC?=', 'テストテスト'],
  ['=?ISO-2022-JP?B?GyRCJUYl?= =?ISO-2022-JP?B?OSVIGyhC?=', 'テスト'],
  ['=?utf-8*en?q?a?=', 'a'],
  ['=?iso-8859-1?Q?Gr€?=', '=?iso-8859-1?Q?Gr€?='],
  ['=?x-unknown?Q?a?= =?x-unknown?Q?b?=', '=?x-unknown?Q?a?= =?x-unknown?Q?b?='],
  ['=?x-unknown?Q?a?=', '=?x-unknown?Q?a?='],
  ['=?UTF-8?X?a?=', '=?UTF-8?X?a?='],
  ['=?UTF-8?Q?=ZZ?=', '=ZZ'],
])('decodes %p to %p', (text, decoded) => {
  expect(decodeWords(text)).toBe(decoded);
});

test('reads endless encoded words in bounded time', () => {
  const start = performance.now();
  for (const part of ['=?', '=?a?q?', '=?a?q?b?= ', '?=']) decodeWords(part.repeat(100_000));
  expect(performance.now() - start).toBeLessThan(5_000);
});
