/** Shared by the command-line tools: parses arguments and formats errors. */
import { ConfigError } from '../../shared/runtime/config.ts';
import { DataFolderError } from './data-folder.ts';
import { visible } from './terminal-text.ts';

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
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  for (let at = 0; at < end; at += 1) {
    const word = args[at] ?? '';
    const [, name = '', inline] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = options.find((one) => one === name);
    const flag = known.find((one) => one === name);
    if (option !== undefined) {
      const next = at + 1 < end ? args[at + 1] : undefined;
      const value = inline ?? (next?.startsWith('--') ? undefined : next);
      if (value === undefined) throw new CommandError(`--${name} requires a value`);
      values[option] = value;
      if (inline === undefined) at += 1;
    } else if (flag !== undefined && inline === undefined) {
      flags.add(flag);
    } else if (/^-(?!\d)./.test(word)) {
      const all = [...options, ...known].map((one) => `--${one}`).join(', ');
      throw new CommandError(`unknown option: ${word}; available: ${all}`);
    } else {
      words.push(word);
    }
  }
  return { words: [...words, ...args.slice(end + 1)], values, flags };
}
