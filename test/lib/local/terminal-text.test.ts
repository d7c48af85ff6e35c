import { describe, expect, test } from '@jest/globals';
import { painter, shorten, visible, wrap } from '../../../lib/local/terminal-text.ts';

describe('text from outside is made visible', () => {
  test.each([
    ['a colour', '\x1b[31mred', '\\x1b[31mred'],
    ['a window title', '\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['a line feed and a carriage return', 'a\r\nb', 'a\\x0d\\x0ab'],
    ['a tab and a backspace', 'a\t\bb', 'a\\x09\\x08b'],
    ['NUL and DEL', '\0\x7f', '\\x00\\x7f'],
    ['the one-character CSI of C1', '\x9b2J', '\\x9b2J'],
    ['a right-to-left override', 'a\u202eb', 'a\\u{202e}b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['half of a surrogate pair', 'a\ud83d', 'a\\u{d83d}'],
    ['a tag character beyond 16 bits', '\u{e0041}', '\\u{e0041}'],
    ['letters of any script stay', 'bücher.example 例え', 'bücher.example 例え'],
  ])('%s', (_title, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('at any depth, and nothing but text changes', () => {
    const value = { list: ['\x1b', { deep: '\x07' }], count: 1, yes: true, nothing: null };
    expect(visible(value)).toEqual({
      list: ['\\x1b', { deep: '\\x07' }],
      count: 1,
      yes: true,
      nothing: null,
    });
  });
});

describe('a text longer than its room', () => {
  test.each([
    ['fits', 'v=spf1 -all', 11, 'v=spf1 -all'],
    [
      'loses its middle and keeps its end',
      'v=spf1 include:_spf.example.org -all',
      26,
      'v=spf1 include:_s…org -all',
    ],
    ['loses its end where there is little room', 'v=spf1 include:_spf.example.org -all', 10, 'v=spf1 in…'],
    ['is counted in characters, not in code units', '😀😀😀', 2, '😀…'],
    ['is dropped where there is no room', 'abc', 0, ''],
  ])('%s', (_title, text, room, shown) => {
    expect(shorten(text, room)).toBe(shown);
    expect([...shown].length).toBeLessThanOrEqual(room);
  });
});

describe('wrapping', () => {
  test.each<[string, string, readonly string[]]>([
    ['breaks between words', 'one two three', ['  one two', '  three']],
    ['fills a line to its last column', 'abcd efghi', ['  abcd', '  efghi']],
    [
      'breaks a word that is longer than a line',
      'a bcdefghijklmnopqr',
      ['  a', '  bcdefghi', '  jklmnopq', '  r'],
    ],
    ['has no line for no text', '', []],
  ])('%s', (_title, text, lines) => {
    expect(wrap(text, 10, '  ')).toEqual(lines);
  });
});

test('colour is written only when asked for, and never around nothing', () => {
  expect(painter(true)('red', 'x')).toBe('\x1b[31mx\x1b[0m');
  expect(painter(true)('red', '')).toBe('');
  expect(painter(false)('red', 'x')).toBe('x');
});
