/** The programs of the package: `npx email-domain-security-monitor <program> ...`. */
import { setMaxListeners } from 'node:events';
import { release } from '../local/host/release.ts';
import { runOnNewerNode } from './newer-node.ts';

export interface Program {
  readonly summary: string;
  /** The oldest Node.js that runs it with these arguments: 24 for what opens a database. */
  readonly node: (args: readonly string[]) => 20 | 24;
  /** Runs it with the rest of `process.argv`. */
  readonly run: () => Promise<unknown>;
}

/** The exit code of wrong usage. */
const USAGE = 64;

/**
 * Runs the program that `process.argv` names, on a newer Node.js if it needs one.
 * @param script The file of the process that calls it.
 */
export async function runProgram(programs: Readonly<Record<string, Program>>, script: string): Promise<void> {
  const [name = '--help', ...args] = process.argv.slice(2);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const print = (text: string) => void process.stdout.write(`${text}\n`);
  if (name === '--version') return print(release());
  if (name === '--help' || name === 'help') return print(help(programs));
  if (program === undefined) {
    process.stderr.write(`error: unknown command '${name}': see --help\n`);
    process.exitCode = USAGE;
    return;
  }
  const needed = program.node(args);
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= needed) {
    // It warns of more than ten listeners of an AbortSignal; later releases do not.
    if (major === 20) setMaxListeners(0);
    process.argv.splice(2, 1);
    await program.run();
    return;
  }
  const code = await runOnNewerNode(script, [name, ...args]);
  if (code === undefined)
    process.stderr.write(
      `error: ${name} needs Node.js ${needed}, this is ${process.version}, and npm cannot get a newer one\n`,
    );
  process.exitCode = code ?? 1;
}

function help(programs: Readonly<Record<string, Program>>): string {
  const rows = Object.entries(programs).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`);
  return [
    'Usage: email-domain-security-monitor <command> [options]',
    '',
    'Checks, scores and monitors the email security of domains.',
    '',
    'Commands:',
    ...rows,
    '',
    'Options:',
    '  --version  print the version',
    '  --help     print this text; "<command> --help" describes a command',
  ].join('\n');
}
