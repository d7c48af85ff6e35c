/** Which files the end-to-end tests run in the processes that they start: no import leads there. */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { isShortTest } from './choose-tests.ts';

const record = z.record(z.string(), z.array(z.string()));

const coverage = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({ functionName: z.string(), ranges: z.array(z.object({ count: z.number() })) }),
      ),
    }),
  ),
});

/**
 * Returns a function that lists the end-to-end tests that run code of a file, the most specific first. Measures them once, which
 * takes about ten minutes, and keeps the result in `cache`.
 */
export function testsByCoverage(root: string, cache: string): (file: string) => readonly string[] {
  const known = readCache(cache);
  for (const test of globSync('test/end-to-end/*.test.ts', { cwd: root }).filter(isShortTest)) {
    if (known[test] !== undefined) continue;
    console.log(`measures ${test}`);
    known[test] = filesRunBy(test, root);
    mkdirSync(dirname(cache), { recursive: true });
    writeFileSync(cache, JSON.stringify(known));
  }
  const running = (isWanted: (path: string) => boolean) =>
    Object.entries(known)
      .filter(([, files]) => files.some(isWanted))
      .toSorted(([, a], [, b]) => a.length - b.length)
      .map(([test]) => test);
  return (file) => {
    const found = running((path) => path === file);
    // A table runs no function of its own: it is used by what is beside it.
    return found.length > 0 ? found : running((path) => dirname(path) === dirname(file));
  };
}

function readCache(cache: string): Record<string, string[]> {
  try {
    return record.parse(JSON.parse(readFileSync(cache, 'utf8')));
  } catch {
    return {};
  }
}

function filesRunBy(test: string, root: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  try {
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand'];
    const projects = ['--selectProjects', 'source', 'end-to-end (source)', '--runTestsByPath', test];
    spawnSync(process.execPath, [...jest, ...projects], {
      ...{ cwd: root, stdio: 'ignore', timeout: 300_000, killSignal: 'SIGKILL' },
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    const base = pathToFileURL(`${root}/`).href;
    const files = readdirSync(folder).flatMap((name) => {
      const { result } = coverage.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
      return result.flatMap(({ url, functions }) => {
        const path = url.slice(base.length);
        if (!url.startsWith(base) || !/^(?:functions|shared)\//.test(path)) return [];
        // Every file that is imported runs its top level, which has no name.
        const hasRun = functions.some(
          ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
        );
        return hasRun ? [path] : [];
      });
    });
    return [...new Set(files)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
