/** Shared by the command-line tools: parses arguments and formats errors. */

import { parseArgs } from 'node:util';
import { ConfigError } from '../../shared/runtime/config/config.ts';
import { DataFolderError } from '../local/stores/files.ts';
import { visible } from './text.ts';

/** A command with invalid arguments. The message is one line that gives the reason. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  /** Text to print before the message. */
  readonly usage: string | undefined;

  constructor(message: string, usage?: string) {
    super(message);
    this.usage = usage;
  }
}

/**
 * Returns what to print for an error. For an error that the user can fix, this is one line after the usage, if any; for
 * any other error, it is the error itself.
 */
export function described(error: unknown): unknown {
  if (![CommandError, ConfigError, DataFolderError].some((kind) => error instanceof kind)) return error;
  const { message, usage } = error as CommandError;
  return `${usage === undefined ? '' : `${usage}\n\n`}error: ${visible(message)}`;
}

/** Whether the arguments ask for help. */
export const wantsHelp = (args: readonly string[]): boolean =>
  args
    .slice(0, args.includes('--') ? args.indexOf('--') : args.length)
    .some((word) => word === '--help' || word === '-h');

export interface CommandLine<Option extends string, Flag extends string> {
  readonly words: readonly string[];
  readonly values: Readonly<Partial<Record<Option, string>>>;
  readonly flags: ReadonlySet<Flag>;
}

/**
 * Parses words, `--option value` or `--option=value`, and `--flag`, in any order. After `--`, everything is a word.
 * Negative numbers are valid words and values, so that a command that expects a number can report the wrong one.
 * @throws CommandError
 */
export function readCommandLine<Option extends string, Flag extends string = never>(
  args: readonly string[],
  options: readonly Option[],
  known: readonly Flag[] = [],
): CommandLine<Option, Flag> {
  const words: string[] = [];
  const values: Partial<Record<Option, string>> = {};
  const flags = new Set<Flag>();
  let numberAt = -1;
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options.map((name) => [name, { type: 'string' }])),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const typed = args[token.index] ?? '';
    const option = options.find((one) => rawName === `--${one}`);
    const flag = known.find((one) => rawName === `--${one}`);
    if (option !== undefined) {
      if (value === undefined || (!inlineValue && value.startsWith('--')))
        throw new CommandError(`--${name} requires a value`);
      values[option] = value;
    } else if (flag !== undefined && value === undefined) flags.add(flag);
    else if (!/^-\d/.test(typed)) throw unknownOption(typed, [...options, ...known]);
    // The parser reads a negative number as an option for each of its characters.
    else if (token.index !== numberAt) {
      words.push(typed);
      numberAt = token.index;
    }
  }
  return { words, values, flags };
}

function unknownOption(typed: string, available: readonly string[]): CommandError {
  return new CommandError(
    `unknown option: ${typed}; available: ${available.map((one) => `--${one}`).join(', ')}`,
  );
}
