import './compile-cache.ts';
import { exitCodeOf, formatError, Help } from '../lib/terminal/command-line.ts';

/** The exit code of wrong usage; 1 means that something failed. */
const USAGE = 2;

/**
 * Runs a command-line tool. Prints what `run` returns, or its help or error, and sets the exit code of the process; `usage` is
 * that of wrong usage. `run` imports what is large, so that the cache of compiled code has it.
 */
export async function runTool(
  run: (args: readonly string[]) => Promise<{ readonly output?: string; readonly code: number }>,
  { usage = USAGE }: { readonly usage?: number } = {},
): Promise<void> {
  try {
    const { output, code } = await run(process.argv.slice(2));
    if (output !== undefined) console.log(output);
    process.exitCode = code;
  } catch (error) {
    if (error instanceof Help) return console.log(error.message);
    console.error(formatError(error));
    process.exitCode = exitCodeOf(error, usage);
  }
}
