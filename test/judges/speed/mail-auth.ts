/** mail-auth of Rust as a peer, built by cargo outside of the project. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('mail-auth', import.meta.url));
/** Kept for the next run. */
const FOLDER = join(tmpdir(), 'domain-monitor-mail-auth');
/** A machine of two cores takes five minutes. */
const BUILD_MILLISECONDS = 1_800_000;

export interface MailAuth {
  /** Sends a command, and returns the numbers of the reply: first the seconds of CPU. */
  run(command: string): Promise<readonly number[]>;
  stop(): void;
}

/** Builds and starts the peer; undefined without cargo or its registry. */
export async function startMailAuth(): Promise<MailAuth | undefined> {
  cpSync(SOURCE, FOLDER, { recursive: true, preserveTimestamps: true });
  const build = spawn('cargo', ['build', '--release', '--quiet'], {
    ...{ cwd: FOLDER, stdio: 'ignore', timeout: BUILD_MILLISECONDS },
  });
  const [code] = await once(build, 'exit').catch(() => [undefined]);
  if (code !== 0) return undefined;
  const child = spawn(join(FOLDER, 'target', 'release', 'mail-auth-peer'), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  return {
    async run(command) {
      child.stdin.write(`${command}\n`);
      const [line] = await once(lines, 'line');
      return String(line).split(' ').map(Number);
    },
    stop: () => child.stdin.end(),
  };
}
