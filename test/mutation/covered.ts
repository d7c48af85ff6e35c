/** Which code each test runs, in its own process and in those that it starts. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import { isShortTest } from './choose-tests.ts';
import { jestArguments } from './run-jest.ts';

/** A test that hangs while it is measured counts with what it ran until then. */
const MILLISECONDS = 300_000;

const scripts = z.object({
  result: z.array(
    z.object({
      url: z.string(),
      functions: z.array(
        z.object({
          functionName: z.string(),
          ranges: z.array(z.object({ startOffset: z.number(), endOffset: z.number(), count: z.number() })),
        }),
      ),
    }),
  ),
});
type Script = z.infer<typeof scripts>['result'][number];

const fileCoverage = z.object({
  path: z.string(),
  hash: z.string(),
  /** A function of the file ran, not only its top level, which each import runs. */
  hasRun: z.boolean(),
  /** Where code that ran begins and ends, alternately; Node strips types by spaces, so offsets are those of the source. */
  spans: z.array(z.number()),
});
type FileCoverage = z.infer<typeof fileCoverage>;

const testCoverage = z.object({
  test: z.string(),
  hash: z.string(),
  seconds: z.number(),
  files: z.array(fileCoverage),
});
type TestCoverage = z.infer<typeof testCoverage>;

/** Short, and the same for the same text. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 12);

interface Coverage {
  /** The tests that run the code at an offset of a file: those that run a function of the file first, then the quickest. */
  readonly testsOf: (file: string, offset: number) => readonly string[];
  /** How long a test took while it was measured. */
  readonly secondsOf: (test: string) => number;
}

/** Measures the tests that `cache` does not know as they are, which takes about fifteen minutes for all. */
export async function measureCoverage(root: string, cache: string): Promise<Coverage> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const known = readCache(cache);
  const tests = globSync('test/**/*.test.ts', { cwd: root }).filter(isShortTest);
  const waiting = tests.filter((test) => known.get(test)?.hash !== hashOf(read(test)));
  const measure = async () => {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
      const measured = await coverageOf(test, root);
      console.log(`measured ${test}: ${measured.seconds.toFixed(1)} s, ${measured.files.length} files`);
      known.set(test, measured);
      appendFileSync(cache, `${JSON.stringify(measured)}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, measure));
  const current = tests.flatMap((test) => known.get(test) ?? []);
  return {
    testsOf: (file, offset) => {
      const hash = hashOf(read(file));
      return current
        .flatMap(({ test, files, seconds }) => {
          const found = files.find(({ path }) => path === file);
          // Offsets mean nothing once the file has changed.
          const runs = found !== undefined && (found.hash !== hash || isWithin(found.spans, offset));
          return runs ? [{ test, hasRun: found.hasRun, seconds }] : [];
        })
        .toSorted((a, b) => Number(b.hasRun) - Number(a.hasRun) || a.seconds - b.seconds)
        .map(({ test }) => test);
    },
    secondsOf: (test) => known.get(test)?.seconds ?? 0,
  };
}

function isWithin(spans: readonly number[], offset: number): boolean {
  return spans.filter((bound) => bound <= offset).length % 2 === 1;
}

function readCache(cache: string): Map<string, TestCoverage> {
  if (!existsSync(cache)) return new Map();
  const lines = readFileSync(cache, 'utf8').trim().split('\n');
  return new Map(
    lines.map((line) => testCoverage.parse(JSON.parse(line))).map((entry) => [entry.test, entry]),
  );
}

async function coverageOf(test: string, root: string): Promise<TestCoverage> {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  const text = readFileSync(join(root, test), 'utf8');
  const since = performance.now();
  try {
    const child = spawn(process.execPath, jestArguments([test]), {
      ...{ cwd: root, stdio: 'ignore', timeout: MILLISECONDS, killSignal: 'SIGKILL' },
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    await once(child, 'close');
    const seconds = (performance.now() - since) / 1000;
    return { test, hash: hashOf(text), seconds, files: filesIn(folder, root) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What all processes of a test ran of the product together. */
function filesIn(folder: string, root: string): FileCoverage[] {
  const base = pathToFileURL(`${root}/`).href;
  const found = new Map<string, { source: string; ran: Uint8Array; hasRun: boolean }>();
  for (const name of readdirSync(folder)) {
    const { result } = scripts.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    for (const script of result) {
      const [path = ''] = script.url.slice(base.length).split('?');
      if (!script.url.startsWith(base) || !/^(?:functions|shared)\//.test(path)) continue;
      const source = found.get(path)?.source ?? readFileSync(join(root, path), 'utf8');
      const file = found.get(path) ?? { source, ran: new Uint8Array(source.length), hasRun: false };
      found.set(path, file);
      const ran = codeThatRan(script, source.length);
      file.ran = file.ran.map((byte, at) => byte | (ran[at] ?? 0));
      file.hasRun ||= script.functions.some(
        ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
      );
    }
  }
  return [...found].map(([path, { source, ran, hasRun }]) => ({
    ...{ path, hash: hashOf(source), hasRun },
    spans: Array.from({ length: ran.length + 1 }, (_, at) => at).filter(
      (at) => (ran[at - 1] ?? 0) !== (ran[at] ?? 0),
    ),
  }));
}

/** One byte for each character: V8 gives a count for each range, and the innermost one holds. */
function codeThatRan({ functions }: Script, length: number): Uint8Array {
  const ran = new Uint8Array(length);
  const ranges = functions.flatMap((one) => one.ranges);
  for (const { startOffset, endOffset, count } of ranges.toSorted(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  ))
    ran.fill(Number(count > 0), startOffset, endOffset);
  return ran;
}
