/** The operator's commands in the process of the test: starting a process takes longer than most commands. */
import type { AdminDependencies } from '../../lib/admin/command.ts';
import { readAdminArguments } from '../../lib/admin/commands.ts';
import { runAdmin } from '../../lib/admin/run.ts';
import { exitCodeOf, formatError } from '../../lib/terminal/command-line.ts';
import { servedFrom } from './service.ts';

/** The exit code of `npm run admin` with these arguments, and what it prints. */
export async function adminInProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number; output: string }> {
  try {
    const { output, code } = await runAdmin(args, { ...servedFrom(), ...environment });
    return { code, output: output === undefined ? '' : `${output}\n` };
  } catch (error) {
    return { code: exitCodeOf(error, 2), output: `${formatError(error)}\n` };
  }
}

/** Runs a command with dependencies of the test. */
export const adminCommand =
  (args: readonly string[]) =>
  async (deps: AdminDependencies): Promise<string[]> => {
    const { found } = readAdminArguments(args);
    if (found.kind === 'folder') throw new Error('commands on the data folder have no dependencies');
    return found.run(deps);
  };
