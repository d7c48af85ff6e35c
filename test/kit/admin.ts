/** The operator's commands in the process of the test: starting a process takes longer than most commands. */
import { runAdmin } from '../../lib/admin/run.ts';
import { described } from '../../lib/terminal/command-line.ts';
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
    return { code: 1, output: `${described(error)}\n` };
  }
}
