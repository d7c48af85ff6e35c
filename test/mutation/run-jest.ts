/** Runs test files of a copy of the project, and says which one failed first. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { killGroup } from '../kit/kill-group.ts';

/** Arguments of Node that run test files in this order. */
export const jestArguments = (files: readonly string[], ...options: readonly string[]): readonly string[] => [
  ...['node_modules/jest/bin/jest.js', '--runInBand', '--ci'],
  ...[
    '--config',
    './test/mutation/jest.config.js',
    '--testSequencer',
    './test/mutation/sequencer.js',
    ...options,
  ],
  ...['--selectProjects', 'source', 'end-to-end (source)', '--runTestsByPath', ...files],
];

/** End a run at the first test that fails. */
const FAIL_FAST = ['--bail', '--env', './test/mutation/environment.js'];

/** Returns the path of the first test file that fails, `timeout`, or undefined if all pass. */
export async function firstFailure(
  root: string,
  files: readonly string[],
  milliseconds: number,
): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const child = spawn(process.execPath, jestArguments(files, ...FAIL_FAST), {
    ...{ cwd: root, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child);
  }, milliseconds);
  const [output] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  clearTimeout(timer);
  // A test that fails can leave what it started.
  killGroup(child);
  if (isLate) return 'timeout';
  if (child.exitCode === 0) return undefined;
  return /^FAIL .*?(test\/\S+\.test\.ts)/m.exec(output)?.[1] ?? 'jest';
}
