import { describe, expect, test } from '@jest/globals';
import { asksForHelp, CommandError, described, readCommandLine } from '../../../lib/local/command-line.ts';

const read = (...args: string[]) => {
  const { words, values, flags } = readCommandLine(args, ['name', 'days'], ['json']);
  return [words, { ...values }, [...flags]];
};

describe('a command line', () => {
  test.each([
    [[], [[], {}, []]],
    [
      ['a', '--name', 'x y', 'b'],
      [['a', 'b'], { name: 'x y' }, []],
    ],
    [
      ['--name=', '--json'],
      [[], { name: '' }, ['json']],
    ],
    [['--name=a=b\nc'], [[], { name: 'a=b\nc' }, []]],
    [
      ['limit', '-1', '--days', '-2', '-'],
      [['limit', '-1', '-'], { days: '-2' }, []],
    ],
    [
      ['--days', '-x'],
      [[], { days: '-x' }, []],
    ],
    [
      ['a', '--', '--name', '--'],
      [['a', '--name', '--'], {}, []],
    ],
  ])('%j is read as %j', (args, expected) => {
    expect(read(...args)).toEqual(expected);
  });

  test.each([
    [['--name'], '--name needs a value'],
    [['--name', '--json'], '--name needs a value'],
    [['--name', '--', 'x'], '--name needs a value'],
    [['--constructor', 'x'], 'unknown option: --constructor; there is --name, --days, --json'],
    [['--json=yes'], 'unknown option: --json=yes'],
    [['-h'], 'unknown option: -h'],
  ])('%j is refused', (args, message) => {
    expect(() => read(...args)).toThrow(CommandError);
    expect(() => read(...args)).toThrow(message);
  });
});

test.each([
  [['--help'], true],
  [['org', 'create', '-h'], true],
  [['org', 'create', '--', '--help'], false],
  [['org', '--helpful'], false],
])('%j asks for help: %j', (args, expected) => {
  expect(asksForHelp(args)).toBe(expected);
});

describe('an error', () => {
  test('is told in one line, last, without what a terminal would obey', () => {
    expect(described(new CommandError('no \u001b[31m', 'Usage: ...'))).toBe(
      'Usage: ...\n\nerror: no \\x1b[31m',
    );
    expect(described(new CommandError('no'))).toBe('error: no');
  });

  test('of our own is left whole', () => {
    const error = new TypeError('broken');
    expect(described(error)).toBe(error);
  });
});
