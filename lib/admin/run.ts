/** Runs a command of the operator from its arguments to the text that it prints. */
import { visible } from '../local/terminal-text.ts';
import { adminCommand, usage } from './commands.ts';
import { openAdminDependencies } from './open.ts';

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
