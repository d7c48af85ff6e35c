import { expect, test } from '@jest/globals';
import { printable } from '../../../shared/protocol/printable.ts';

test.each([
  ['a plain name', 'Example Inc.', 'Example Inc.'],
  ['letters of any script', 'Österreichische Post 株式会社', 'Österreichische Post 株式会社'],
  ['letters with joiners', 'हिन्दी e\u0301', 'हिन्दी e\u0301'],
  ['characters beyond the Basic Multilingual Plane', 'Post 💌', 'Post 💌'],
  ['a line break', 'a\r\nb', 'a\\u{d}\\u{a}b'],
  ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['terminal control characters', '\x1b[31m', '\\u{1b}[31m'],
  ['bidirectional overrides', '\u202egro', '\\u{202e}gro'],
  ['bidirectional isolates', '\u2066a', '\\u{2066}a'],
  ['zero-width characters', 'a\u200bb\ufeff', 'a\\u{200b}b\\u{feff}'],
  ['blank look-alikes', 'a\u3164b\u2800', 'a\\u{3164}b\\u{2800}'],
  ['a lone surrogate', 'a\ud83d', 'a\\u{d83d}'],
])('%s is shown unambiguously', (_what, text, shown) => {
  expect(printable(text, 80)).toBe(shown);
});

test('long text is cut between characters', () => {
  expect(printable('💌💌💌', 2)).toBe('💌💌...');
  expect(printable('💌💌💌', 3)).toBe('💌💌💌');
});
