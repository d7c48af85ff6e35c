/** The service as a newcomer starts it: a process of its own on a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Set in jest.config.js for the run against the bundles. */
const { servesBundles = false } = globalThis as { servesBundles?: boolean };

/** What makes a main serve, or look at, the assembly that `make-assembly.ts` left; nothing in the run of the sources. */
export function servedFrom(): Readonly<Record<string, string>> {
  if (!servesBundles) return {};
  const { TESTED_ASSEMBLY = '', TESTED_ASSEMBLY_PROBLEM } = process.env;
  if (TESTED_ASSEMBLY_PROBLEM !== undefined) throw new Error(`no assembly: ${TESTED_ASSEMBLY_PROBLEM}`);
  return { CLOUD_ASSEMBLY: TESTED_ASSEMBLY };
}

/** How long a service may take until its banner, before a test gives up on it. */
const START_MILLISECONDS = 60_000;

export interface BootedService {
  readonly url: string;
  readonly token: string;
  /** Port of the SMTP listener. */
  readonly smtpPort: number;
  readonly dataDir: string;
  /** Everything it printed so far. */
  readonly output: () => string;
  /** Ends the process by a signal and waits for its end; returns the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Ends the process and removes its data folder. */
  remove(): Promise<void>;
}

export interface Started {
  readonly process: ChildProcess;
  readonly output: () => string;
}

/** Runs a main of `bin/` with nothing of this process's configuration but what `environment` says. */
export function run(main: string, args: readonly string[], environment: Record<string, string>): Started {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(ROOT, 'bin', main), ...args], {
    cwd: ROOT,
    env: { PATH, HOME, ...servedFrom(), ...environment },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  }
  return { process: child, output: () => text };
}

/** Runs a main to its end. */
export async function runToEnd(
  main: string,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const started = run(main, args, environment);
  const timer = setTimeout(() => started.process.kill('SIGKILL'), START_MILLISECONDS);
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
    ...environment,
    DATA_DIR: dataDir,
  });
  const { url, token, smtpPort } = await bannerOf(started);
  return {
    url,
    token,
    smtpPort,
    dataDir,
    output: started.output,
    end: (signal) => end(started.process, signal),
    async remove() {
      await end(started.process, 'SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function bannerOf({
  process: child,
  output,
}: Started): Promise<Pick<BootedService, 'url' | 'token' | 'smtpPort'>> {
  const until = Date.now() + START_MILLISECONDS;
  while (Date.now() < until && child.exitCode === null) {
    const url = /^ {2}API +(\S+)\/api\/v1/m.exec(output())?.[1];
    const token = /^ {2}API token +(\S+)$/m.exec(output())?.[1];
    const smtpPort = Number(/smtp:\/\/\S+:(\d+)/.exec(output())?.[1]);
    if (url !== undefined && token !== undefined) return { url, token, smtpPort };
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
