import { describe, expect, test } from '@jest/globals';
import { jsonLines, painter, shorten, visible, wrap } from '../../../lib/terminal/text.ts';

describe('visible() escapes', () => {
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
    ['letters of any script not at all', 'bücher.example 例え', 'bücher.example 例え'],
  ])('%s', (_title, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('strings at any depth, and changes nothing else', () => {
    const value = { list: ['\x1b', { deep: '\x07' }], count: 1, yes: true, nothing: null };
    expect(visible(value)).toEqual({
      list: ['\\x1b', { deep: '\\x07' }],
      count: 1,
      yes: true,
      nothing: null,
    });
  });
});

describe('shorten()', () => {
  test.each([
    ['keeps a text that fits', 'v=spf1 -all', 11, 'v=spf1 -all'],
    [
      'removes the middle and keeps the end',
      'v=spf1 include:_spf.example.org -all',
      26,
      'v=spf1 include:_s…org -all',
    ],
    ['removes the end if there is little room', 'v=spf1 include:_spf.example.org -all', 10, 'v=spf1 in…'],
    ['counts characters, not code units', '😀😀😀', 2, '😀…'],
    ['returns nothing if there is no room', 'abc', 0, ''],
  ])('%s', (_title, text, room, shown) => {
    expect(shorten(text, room)).toBe(shown);
    expect([...shown].length).toBeLessThanOrEqual(room);
  });
});

describe('wrap()', () => {
  test.each<[string, string, readonly string[]]>([
    ['breaks between words', 'one two three', ['  one two', '  three']],
    ['fills a line to its last column', 'abcd efghi', ['  abcd', '  efghi']],
    [
      'breaks a word that is longer than a line',
      'a bcdefghijklmnopqr',
      ['  a', '  bcdefghi', '  jklmnopq', '  r'],
    ],
    ['returns no line for an empty text', '', []],
  ])('%s', (_title, text, lines) => {
    expect(wrap(text, 10, '  ')).toEqual(lines);
  });
});

test('painter() adds colors only if enabled, and never to empty text', () => {
  expect(painter(true)('red', 'x')).toBe('\x1b[31mx\x1b[0m');
  expect(painter(true)('red', '')).toBe('');
  expect(painter(false)('red', 'x')).toBe('x');
});

test('jsonLines() are safe to print, and are read as what they were', () => {
  const value = {
    'a\u202eb': ['\x1b[31mred\n', 'half \ud83d', 'tag \u{e0041}', '\u2028', 'bücher 例え', 7, null],
  };
  const lines = jsonLines(value);
  expect(visible(lines)).toEqual(lines);
  expect(JSON.parse(lines.join('\n'))).toEqual(value);
  expect(lines.join('\n')).toContain('bücher 例え');
});
