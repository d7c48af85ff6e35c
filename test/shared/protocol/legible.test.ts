import { expect, test } from '@jest/globals';
import { legible } from '../../../shared/protocol/legible.ts';

test.each([
  ['a plain name', 'Example Inc.', 'Example Inc.'],
  ['letters of any script', 'Österreichische Post 株式会社', 'Österreichische Post 株式会社'],
  ['letters with marks that join them', 'हिन्दी e\u0301', 'हिन्दी e\u0301'],
  ['characters beyond the first plane', 'Post 💌', 'Post 💌'],
  ['a line break', 'a\r\nb', 'a\\u{d}\\u{a}b'],
  ['a separator of lines', 'a\u2028b', 'a\\u{2028}b'],
  ['what a terminal obeys', '\x1b[31m', '\\u{1b}[31m'],
  ['what turns the direction of reading', '\u202egro', '\\u{202e}gro'],
  ['what isolates a direction', '\u2066a', '\\u{2066}a'],
  ['what has no width', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['what looks like a blank', 'a\u3164b\u2800', 'a\\u{3164}b\\u{2800}'],
  ['half of a pair', 'a\ud83d', 'a\\u{d83d}'],
])('%s is shown so that nobody is misled', (_what, text, shown) => {
  expect(legible(text, 80)).toBe(shown);
});

test('what is longer is cut between characters', () => {
  expect(legible('💌💌💌', 2)).toBe('💌💌...');
  expect(legible('💌💌💌', 3)).toBe('💌💌💌');
});
