import { describe, expect, test } from '@jest/globals';
import { CommandError, described, readCommandLine, wantsHelp } from '../../../lib/terminal/command-line.ts';

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
  ])('%j is parsed as %j', (args, expected) => {
    expect(read(...args)).toEqual(expected);
  });

  test.each([
    [['--name'], '--name requires a value'],
    [['--name', '--json'], '--name requires a value'],
    [['--name', '--', 'x'], '--name requires a value'],
    [['--constructor', 'x'], 'unknown option: --constructor; available: --name, --days, --json'],
    [['--json=yes'], 'unknown option: --json=yes'],
    [['-h'], 'unknown option: -h'],
  ])('%j is rejected', (args, message) => {
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
  expect(wantsHelp(args)).toBe(expected);
});

describe('an error', () => {
  test('is printed after the usage, in one line, without control characters', () => {
    expect(described(new CommandError('no \u001b[31m', 'Usage: ...'))).toBe(
      'Usage: ...\n\nerror: no \\x1b[31m',
    );
    expect(described(new CommandError('no'))).toBe('error: no');
  });

  test('that is unexpected is returned unchanged', () => {
    const error = new TypeError('broken');
    expect(described(error)).toBe(error);
  });
});
