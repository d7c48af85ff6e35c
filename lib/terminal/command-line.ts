/** Shared by the command-line tools: reads arguments, which also yields their help, and formats errors. */

import { Command, CommanderError } from 'commander';
import { ConfigError } from '../../shared/runtime/config/config.ts';
import { called, release } from '../local/host/release.ts';
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

/** A command line that is not one of the tool: an unknown command or option, or an argument that is not as it has to be. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/** What the arguments ask for instead of a command: the help, or the version. */
export class Help extends Error {}

/** The exit code of a failure. */
const FAILED = 1;

/** The exit code of an error; that of wrong usage is `usage`. */
export const exitCodeOf = (error: unknown, usage: number): number =>
  error instanceof UsageError ? usage : FAILED;

/**
 * Returns what to print for an error. For an error that the user can fix, this is one line after the usage, if any; for
 * any other error, it is the error itself.
 */
export function formatError(error: unknown): unknown {
  if (![CommandError, ConfigError, DataFolderError].some((kind) => error instanceof kind)) return error;
  const { message, usage } = error as CommandError;
  return `${usage === undefined ? '' : `${usage}\n\n`}error: ${visible(message)}`;
}

/** The columns of a help text. */
const WIDTH = 110;

/**
 * A command line that starts as the program is called, such as `npm run <name> --`. Its help lists commands with both of their words.
 * @param example The arguments of an example, for the help.
 */
export function commandLine(name: string, example?: string): Command {
  const shown: string[] = [];
  const program = new Command(called(name))
    .version(release(), '--version', 'print the version')
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => void shown.push(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => WIDTH,
    })
    .configureHelp({
      visibleCommands: (of) => of.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one])),
      subcommandTerm: (one) => [namesOf(one).slice(1).join(' '), one.usage()].join(' '),
    })
    .exitOverride((error) => {
      throw error.exitCode === 0 ? new Help(shown.join('').trimEnd()) : error;
    });
  return example === undefined ? program : withExample(program, name, example);
}

export const withExample = (command: Command, name: string, example: string): Command =>
  command.addHelpText('after', `\nExample:\n  ${called(name)} ${example}`);

const namesOf = (command: Command): string[] => [
  ...(command.parent === null ? [] : namesOf(command.parent)),
  command.name(),
];

/**
 * Reads the arguments, and calls the action of their command. `help domain add` is the same as `domain add --help`.
 * @throws UsageError, or Help.
 */
export function read(command: Command, args: readonly string[]): Command {
  try {
    return command.parse(args[0] === 'help' ? [...args.slice(1), '--help'] : args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.help') throw new UsageError('a command is missing: see --help');
    throw new UsageError(error.message.replace(/^error: /, ''));
  }
}
