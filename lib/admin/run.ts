/** Runs a command of the operator from its arguments to the text that it prints. */
import { resolve } from 'node:path';
import { readSettings } from '../local/host/settings.ts';
import { visible } from '../terminal/text.ts';
import { adminCommand, parseAdminArguments, usage } from './commands.ts';
import { openAdminDependencies } from './open.ts';
import { verifyData } from './verify-data.ts';

/**
 * Runs the command in `args`. Without arguments, the output is the usage. A code other than 0 tells what the command
 * found, as its usage explains.
 * @throws CommandError, ConfigError, DataFolderError if it cannot run.
 */
export async function runAdmin(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly output?: string; readonly code: number }> {
  if (args.length === 0) return { output: usage, code: 0 };
  if (isVerifyData(args)) {
    const { lines, isSound } = verifyData(resolve(readSettings(environment).DATA_DIR));
    return { output: lines.join('\n'), code: isSound ? 0 : 1 };
  }
  const command = adminCommand(args);
  const { deps, close } = await openAdminDependencies(args, environment);
  let code = 0;
  const setExitCode = (given: number) => {
    code = given;
  };
  try {
    const lines = visible(await command({ ...deps, setExitCode }));
    return { ...(lines.length > 0 && { output: lines.join('\n') }), code };
  } finally {
    await close();
  }
}

/** This command examines files that the others refuse to open. */
const isVerifyData = (args: readonly string[]): boolean =>
  parseAdminArguments(args).words.join(' ') === 'verify-data';
