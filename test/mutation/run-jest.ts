/** Runs test files of a copy of the project, and says which one failed first. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** A change that makes the tests run for so long is noticed. */
const MILLISECONDS = 180_000;

/** Returns the path of the first test file that fails, `timeout`, or undefined if all pass. */
export async function firstFailure(root: string, files: readonly string[]): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand', '--bail'];
  const projects = ['--selectProjects', 'source', 'end-to-end (source)', '--runTestsByPath'];
  const child = spawn(process.execPath, [...jest, ...projects, ...files], {
    ...{ cwd: root, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // The programs that tests start are in the group, too.
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }, MILLISECONDS);
  const [output] = await Promise.all([text(child.stderr), once(child, 'close')]);
  clearTimeout(timer);
  if (isLate) return 'timeout';
  if (child.exitCode === 0) return undefined;
  return /^FAIL .*?(test\/\S+\.test\.ts)/m.exec(output)?.[1] ?? 'jest';
}
