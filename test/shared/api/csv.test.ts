import { describe, expect, test } from '@jest/globals';
import { csv } from '../../../shared/api/csv.ts';

const lineOf = (...cells: (string | number | boolean | null)[]) => [...csv([], [cells])].at(-1);

describe('CSV', () => {
  test('starts with a header line and ends each line with CRLF', () => {
    expect([...csv(['a', 'b'], [[1, 'x']])].join('')).toBe('a,b\r\n1,x\r\n');
  });

  test.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'a"b', '"a""b"'],
    ['a line feed', 'a\nb', '"a\nb"'],
    ['a carriage return', 'a\rb', '"a\rb"'],
    ['a semicolon', 'a;b', '"a;b"'],
    ['a tab', 'a\tb', '"a\tb"'],
    ['a vertical bar', 'a|b', '"a|b"'],
  ])('quotes a value with %s', (_what, text, cell) => {
    expect(lineOf(text)).toBe(`${cell}\r\n`);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\t\'=1"'],
    ['\r=1', '"\r\'=1"'],
    ['\n=1', '"\n\'=1"'],
    ['  =1', "  '=1"],
    ['\u200b\0=1', "\u200b\0'=1"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ["x;=cmd|' /C calc'!A0;y", `"x;'=cmd|' /C calc'!A0;y"`],
    ['x;"=1"', `"x;""'=1"""`],
    ['x;y; +1', `"x;y; '+1"`],
    ['x|@SUM(A1)', `"x|'@SUM(A1)"`],
    ['x\t-1', `"x\t'-1"`],
    ['x\r\n=1', `"x\r\n'=1"`],
    ['x,=1', `"x,'=1"`],
    ['=cmd|"/c calc"!A1', '"\'=cmd|""/c calc""!A1"'],
  ])('neutralizes the formula %j', (text, cell) => {
    expect(lineOf(text)).toBe(`${cell}\r\n`);
  });

  test('leaves numbers, dates, addresses, names and empty values unchanged', () => {
    expect(lineOf(-1.5, true, null, '192.0.2.1', '2001:db8::1', 'a=b')).toBe(
      '-1.5,true,,192.0.2.1,2001:db8::1,a=b\r\n',
    );
    const texts = ['2026-01-31T00:00:00.000Z', '2026-01-31', 'a@b.example', 'A - B + C', 'x "=1"', '(-1)'];
    expect(lineOf(...texts.slice(0, 4))).toBe(`${texts.slice(0, 4).join(',')}\r\n`);
    expect(lineOf(...texts.slice(4))).toBe('"x ""=1""",(-1)\r\n');
  });

  test('takes linear time, whatever the values contain', () => {
    const blanks = ' \t"\u200b'.repeat(500_000);
    expect(lineOf(blanks)).toHaveLength(`"${blanks.replaceAll('"', '""')}"\r\n`.length);
  });
});
