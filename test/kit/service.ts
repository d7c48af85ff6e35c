/** The service as a new user starts it: a separate process with its own data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOKEN_FILE } from '../../lib/local/host/data-files.ts';
import { compileCache } from './compile-cache.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** jest.config.js sets this for the run against the bundles. */
const { servesBundles = false } = globalThis as { servesBundles?: boolean };

/**
 * The environment that makes a main program use the assembly of `make-assembly.ts`; empty in the run of the sources.
 */
export function servedFrom(): Readonly<Record<string, string>> {
  if (!servesBundles) return {};
  const { TESTED_ASSEMBLY = '', TESTED_ASSEMBLY_PROBLEM } = process.env;
  if (TESTED_ASSEMBLY_PROBLEM !== undefined) throw new Error(`no assembly: ${TESTED_ASSEMBLY_PROBLEM}`);
  return { CLOUD_ASSEMBLY: TESTED_ASSEMBLY, ...deployedNames };
}

/** Names other than the defaults, so that a function whose environment lacks a name finds nothing. */
const deployedNames = { TABLE_NAME: 'deployed-table', MAIL_BUCKET: 'deployed-mail' };

/** How long a test waits for the banner of a service. */
const START_MILLISECONDS = 60_000;

/** How long a program may run: a little less than a test. */
const RUN_MILLISECONDS = 150_000;

export interface BootedService {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  /** Port of the SMTP listener. */
  readonly smtpPort: number;
  readonly dataDir: string;
  /** Everything printed so far. */
  readonly output: () => string;
  /** Sends a signal to the process and waits until it exits; returns the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Stops the process and removes its data folder. */
  remove(): Promise<void>;
}

export interface Started {
  readonly process: ChildProcess;
  readonly output: () => string;
}

/**
 * Runs a main program of `bin/` with only the configuration in `environment`. In a terminal, `script` (util-linux) runs it:
 * its input is the keyboard.
 */
export function run(
  main: string,
  args: readonly string[],
  environment: Record<string, string>,
  { inTerminal = false } = {},
): Started {
  const { PATH = '', HOME = '', NODE_V8_COVERAGE } = process.env;
  const measured = NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE };
  const env = { PATH, HOME, ...compileCache, ...servedFrom(), ...measured, ...environment };
  const folder = main === 'start.ts' && 'CLOUD_ASSEMBLY' in env ? 'test/kit/assembly' : 'bin';
  const command = [process.execPath, ...flagsOf(main), join(ROOT, folder, main), ...args];
  const [program = '', ...rest] = inTerminal
    ? ['script', '-qefc', `exec ${command.join(' ')}`, '/dev/null']
    : command;
  const child = spawn(program, rest, { cwd: ROOT, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  }
  return { process: child, output: () => text };
}

/** The flags of Node with which the scripts of package.json run a main program. */
function flagsOf(main: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const words: string[] =
    Object.values<string>(scripts)
      .find((one) => one.endsWith(` bin/${main}`))
      ?.split(' ') ?? [];
  return words.slice(1, -1);
}

/** Runs a main program until it exits. */
export async function runToEnd(
  main: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const started = run(main, args, environment);
  const timer = setTimeout(() => started.process.kill('SIGKILL'), RUN_MILLISECONDS);
  const [code] = await once(started.process, 'close');
  clearTimeout(timer);
  return { code, output: started.output() };
}

/** Starts the service on free ports, by default on a new data folder, and waits for its banner. */
export async function bootService(environment: Record<string, string> = {}): Promise<BootedService> {
  const dataDir = environment.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'service-'));
  const started = run('start.ts', [], {
    PORT: '0',
    SMTP_PORT: '0',
    LOG_LEVEL: 'error',
    // Registries are in the internet.
    RDAP_BOOTSTRAP: 'off',
    ...environment,
    DATA_DIR: dataDir,
  });
  const { url, token, smtpPort } = await bannerOf(started, dataDir, environment.API_TOKEN);
  return {
    pid: started.process.pid as number,
    url,
    token,
    smtpPort,
    dataDir,
    output: started.output,
    end: (signal) => end(started.process, signal),
    async remove() {
      // Only a process that exits writes what it ran.
      await end(started.process, process.env.NODE_V8_COVERAGE === undefined ? 'SIGKILL' : 'SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function bannerOf(
  { process: child, output }: Started,
  dataDir: string,
  given: string | undefined,
): Promise<Pick<BootedService, 'url' | 'token' | 'smtpPort'>> {
  const until = Date.now() + START_MILLISECONDS;
  while (Date.now() < until && child.exitCode === null) {
    const url = /^ {2}API +(\S+)\/api\/v1/m.exec(output())?.[1];
    const shown = /^ {2}API token +(.+)$/m.exec(output())?.[1];
    const smtpPort = Number(/smtp:\/\/\S+:(\d+)/.exec(output())?.[1]);
    if (url !== undefined && shown !== undefined)
      return { url, token: given ?? readFileSync(join(dataDir, TOKEN_FILE), 'utf8').trim(), smtpPort };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not start:\n${output()}`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
  return child.exitCode;
}
