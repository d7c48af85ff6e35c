/** Runs a command of the operator from its arguments to the text that it prints. */
import { resolve } from 'node:path';
import { readSettings } from '../local/host/settings.ts';
import { visible } from '../terminal/text.ts';
import { readAdminArguments } from './commands.ts';
import { openAdminDependencies } from './open.ts';
import { progressOn } from './progress.ts';

/**
 * Runs the command in `args`. A code other than 0 tells what the command found, as its help explains.
 * @throws Help if there are no arguments or if they ask for it. UsageError for wrong ones. CommandError, ConfigError, DataFolderError if it cannot run.
 */
export async function runAdmin(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly output?: string; readonly code: number }> {
  const { found, place } = readAdminArguments(args.length === 0 ? ['--help'] : args);
  if (found.kind === 'folder') {
    const progress = progressOn(process.stderr);
    const { lines, isSound } = await found.run(resolve(readSettings(environment).DATA_DIR), progress);
    progress.end();
    return { output: lines.join('\n'), code: isSound ? 0 : 1 };
  }
  const { deps, close } = await openAdminDependencies(place, environment);
  let code = 0;
  const setExitCode = (given: number) => {
    code = given;
  };
  try {
    const lines = visible(await found.run({ ...deps, setExitCode }));
    return { ...(lines.length > 0 && { output: lines.join('\n') }), code };
  } finally {
    await close();
  }
}
