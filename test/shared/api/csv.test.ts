import { describe, expect, test } from '@jest/globals';
import { csv } from '../../../shared/api/csv.ts';

const lineOf = (...cells: (string | number | boolean | null)[]) => [...csv([], [cells])].at(-1);

describe('CSV', () => {
  test('has a line of names, and ends each line with CR LF', () => {
    expect([...csv(['a', 'b'], [[1, 'x']])].join('')).toBe('a,b\r\n1,x\r\n');
  });

  test.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'a"b', '"a""b"'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
  ])('quotes a text with %s', (_what, text, cell) => {
    expect(lineOf(text)).toBe(`${cell}\r\n`);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=cmd|"/c calc"!A1', '"\'=cmd|""/c calc""!A1"'],
  ])('makes no formula of %j', (text, cell) => {
    expect(lineOf(text)).toBe(`${cell}\r\n`);
  });

  test('leaves numbers, addresses and nothing as they are', () => {
    expect(lineOf(-1.5, true, null, '192.0.2.1', 'a=b')).toBe('-1.5,true,,192.0.2.1,a=b\r\n');
  });
});
