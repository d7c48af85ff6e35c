import { described, wantsHelp } from '../lib/terminal/command-line.ts';

/**
 * Runs a command-line tool. Prints `usage` if the arguments ask for help. Otherwise prints what `run` returns, or its
 * error, and sets the exit code of the process.
 */
export async function runTool(
  usage: string,
  run: (args: readonly string[]) => Promise<{ readonly output?: string; readonly code: number }>,
): Promise<void> {
  const args = process.argv.slice(2);
  try {
    const { output, code } = wantsHelp(args) ? { output: usage, code: 0 } : await run(args);
    if (output !== undefined) console.log(output);
    process.exitCode = code;
  } catch (error) {
    console.error(described(error));
    process.exitCode = 1;
  }
}
