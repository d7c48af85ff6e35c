import { describe, expect, test } from '@jest/globals';
import { CommandError, commandLine, formatError, Help, read } from '../../../lib/terminal/command-line.ts';

const help = { json: 'print JSON', name: 'its name' };
const program = () => {
  const ran: unknown[] = [];
  const all = commandLine('tool').option('--where <file>');
  const topic = all.command('topic');
  const set = topic.command('set').arguments('<limit> [rest...]').description('set a limit');
  set.option('--name <name>', help.name).option('--json', help.json);
  set.action(() => void ran.push(set.args, { ...set.opts() }));
  all.command('list').action(() => void ran.push('list'));
  return { all, ran };
};

const readBy = (...args: string[]) => {
  const { all, ran } = program();
  read(all, args);
  return [...ran, { ...all.opts() }];
};

describe('a command line', () => {
  test.each([
    [['list'], ['list', {}]],
    [
      ['topic', 'set', 'a', '--name', 'x y', 'b'],
      [['a', 'b'], { name: 'x y' }, {}],
    ],
    [
      ['--where', 'f', 'topic', 'set', 'a', '--name=a=b\nc', '--json'],
      [['a'], { name: 'a=b\nc', json: true }, { where: 'f' }],
    ],
    [
      ['topic', 'set', '-1', '--name', '-2', '--where=f'],
      [['-1'], { name: '-2' }, { where: 'f' }],
    ],
    [
      ['topic', 'set', 'a', '--', '--help', '--'],
      [['a', '--help', '--'], {}, {}],
    ],
  ])('%j is parsed as %j', (args, expected) => {
    expect(readBy(...args)).toEqual(expected);
  });

  test.each([
    [[], 'a command is missing: see --help'],
    [['topic'], 'a command is missing: see --help'],
    [['none'], "unknown command 'none'"],
    [['topic', 'none'], "unknown command 'none'"],
    [['topic', 'set'], "missing required argument 'limit'"],
    [['topic', 'set', 'a', '--name'], "option '--name <name>' argument missing"],
    [['topic', 'set', 'a', '--constructor'], "unknown option '--constructor'"],
    [['topic', 'set', 'a', '-h1'], "unknown option '-h1'"],
    [['list', '--json'], "unknown option '--json'"],
    [['list', 'more'], 'too many arguments'],
  ])('%j is rejected', (args, message) => {
    expect(() => readBy(...args)).toThrow(CommandError);
    expect(() => readBy(...args)).toThrow(message);
  });

  test('has a help of all commands, and one for each', () => {
    expect(() => readBy('--help')).toThrow(Help);
    expect(() => readBy('--help')).toThrow(
      /^Usage: npm run tool --[\s\S]*topic set .*<limit>[\s\S]*set a limit[\s\S]* list/,
    );
    expect(() => readBy('topic', 'set', '-h')).toThrow(/^Usage: npm run tool -- topic set [\s\S]*its name/);
  });
});

describe('an error', () => {
  test('is printed after the usage, in one line, without control characters', () => {
    expect(formatError(new CommandError('no \u001b[31m', 'Usage: ...'))).toBe(
      'Usage: ...\n\nerror: no \\x1b[31m',
    );
    expect(formatError(new CommandError('no'))).toBe('error: no');
  });

  test('that is unexpected is returned unchanged', () => {
    const error = new TypeError('broken');
    expect(formatError(error)).toBe(error);
  });
});
