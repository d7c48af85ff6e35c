/**
 * `npm run mutate [seed] [number] [folder...]`: makes small changes of meaning in `shared/` and `functions/`, one at a time in a
 * copy of the project, runs the tests nearest to each, and lists those that no test notices. Results are kept, so that a run
 * that was interrupted goes on. Stryker cannot run these tests: jest loads them as ES modules, and many run the
 * product in other processes.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { random } from '../kit/random.ts';
import { testsByDistance } from './choose-tests.ts';
import { hashOf, measureCoverage } from './covered.ts';
import { equivalents } from './equivalents.ts';
import { type Mutant, mutantsOf, mutated } from './mutants.ts';
import { firstFailure } from './run-jest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const CACHE = join(ROOT, 'node_modules/.cache/mutation');
/** What the tests need of the project. */
const COPIED = ['bin', 'docs', 'functions', 'lib', 'shared', 'test'];
/** Test files that run first, and those that run only if the first ones notice nothing. */
const NEAREST = 6;
const FURTHER = 10;
/** Tests that no import leads to, because they run the product in other processes: first those with words of its path. */
const END_TO_END = 4;
/** Answers of the whole service, which were recorded: these tests take longer, and run last. */
const RECORDED = /\/recorded-[^/]*$/;
/** A change that makes tests run for so much longer than usual, and this longer, is noticed. */
const SLOWER = 3;
const GRACE_MILLISECONDS = 30_000;

interface FileMutant extends Mutant {
  readonly file: string;
  readonly source: string;
}

const outcome = z.object({
  id: z.string(),
  killedBy: z.nullable(z.string()),
  /** Of the tests that ran: a change that they did not notice is tried again with other ones. */
  tests: z.string(),
});
type Outcome = z.infer<typeof outcome>;

const [seed = '1', number = '400', ...folders] = process.argv.slice(2);
const chosen = sample(allMutants(folders.length === 0 ? ['functions', 'shared'] : folders), {
  seed: Number(seed),
  number: Number(number),
});
const results = join(CACHE, 'results.jsonl');
mkdirSync(CACHE, { recursive: true });
const outcomes = readOutcomes();
const near = testsByDistance(ROOT);
const { testsOf, secondsOf } = await measureCoverage(ROOT, join(CACHE, 'coverage.jsonl'));
const waiting = chosen.filter((mutant) => {
  const known = outcomes.get(idOf(mutant));
  return known === undefined || (known.killedBy === null && known.tests !== hashOfTests(mutant, ROOT));
});
/** Whether test files pass on an unchanged copy. */
const sound = new Map<string, Promise<boolean>>();
await Promise.all(Array.from({ length: availableParallelism() }, work));
report();

function allMutants(of: readonly string[]): FileMutant[] {
  const files = of.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).toSorted();
  return files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return mutantsOf(source).map((mutant) => ({ ...mutant, file, source }));
  });
}

function sample(mutants: readonly FileMutant[], of: { seed: number; number: number }): FileMutant[] {
  const next = random(of.seed);
  return mutants
    .map((mutant) => ({ mutant, order: next(2 ** 32) }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, of.number)
    .map(({ mutant }) => mutant);
}

/** The same as long as the tests of a change are the same. */
function hashOfTests(mutant: FileMutant, root: string): string {
  const tests = stagesOf(mutant).flat();
  const files = tests
    .flatMap((test) => [test, recordingsOf(test)])
    .filter((file) => existsSync(join(root, file)));
  return hashOf(files.map((file) => `${file}\0${readFileSync(join(root, file), 'utf8')}`).join('\0'));
}

function recordingsOf(test: string): string {
  return join(dirname(test), '__snapshots__', `${basename(test)}.snap`);
}

/** The same for the same change of the same text. */
function idOf({ file, source, start, end, replacement }: FileMutant): string {
  return `${file}:${hashOf(`${source}\0${start}\0${end}\0${replacement}`)}`;
}

function readOutcomes(): Map<string, Outcome> {
  if (!existsSync(results)) return new Map();
  const lines = readFileSync(results, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => outcome.parse(JSON.parse(line))).map((one) => [one.id, one]));
}

async function work(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    for (const name of [
      ...COPIED,
      ...globSync('*.{json,js,md}', { cwd: ROOT }),
      'LICENSE',
      '.gitignore',
      '.npmrc',
      '.ci',
    ])
      if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const killedBy = (await killerOf(mutant, copy)) ?? null;
      const one = { id: idOf(mutant), killedBy, tests: hashOfTests(mutant, copy) };
      outcomes.set(one.id, one);
      appendFileSync(results, `${JSON.stringify(one)}\n`);
      const where = `${mutant.file}:${mutant.line}`;
      console.log(
        `${one.killedBy === null ? 'SURVIVES' : 'killed'}  ${where}  ${shown(mutant)}  ${one.killedBy ?? ''}`,
      );
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function killerOf(mutant: FileMutant, copy: string): Promise<string | undefined> {
  const { file, source } = mutant;
  try {
    writeFileSync(join(copy, file), mutated(source, mutant));
    for (const stage of stagesOf(mutant)) {
      let files = stage;
      for (;;) {
        const failure = await failureOf(copy, files);
        if (failure === undefined) break;
        writeFileSync(join(copy, file), source);
        // Where jest names no file, it can be any of them.
        const suspects = failure.startsWith('test/') ? [failure] : files;
        if (failure === 'timeout' || (await areSound(suspects, copy))) return failure;
        // A test that fails without the change says nothing about it.
        files = files.filter((one) => !suspects.includes(one));
        writeFileSync(join(copy, file), mutated(source, mutant));
      }
    }
    return undefined;
  } finally {
    writeFileSync(join(copy, file), source);
  }
}

/**
 * The tests that run the changed code: those that import the file, nearest first, then those that run it elsewhere, and those
 * that compare recorded answers.
 */
function stagesOf({ file, start }: FileMutant): readonly (readonly string[])[] {
  // Where an operator is, the operand before it may have run alone.
  const running = new Set([...testsOf(file, start), ...testsOf(file, start - 2)]);
  const recorded = [...running].filter((test) => RECORDED.test(test));
  const nearest = near(file).filter((test) => running.has(test) && !recorded.includes(test));
  const words = file.split(/\W/);
  const shared = (test: string) => words.filter((word) => test.includes(word)).length;
  const elsewhere = [...running]
    .filter((test) => !nearest.includes(test) && !recorded.includes(test))
    .toSorted((a, b) => shared(b) - shared(a));
  return [
    nearest.slice(0, NEAREST),
    [...nearest.slice(NEAREST, NEAREST + FURTHER), ...elsewhere.slice(0, END_TO_END)],
    recorded,
  ];
}

function failureOf(copy: string, tests: readonly string[]): Promise<string | undefined> {
  const seconds = tests.reduce((sum, test) => sum + secondsOf(test), 0);
  return firstFailure(copy, tests, 1000 * SLOWER * seconds + GRACE_MILLISECONDS);
}

function areSound(tests: readonly string[], copy: string): Promise<boolean> {
  const name = tests.join();
  const known = sound.get(name) ?? failureOf(copy, tests).then((failure) => failure === undefined);
  sound.set(name, known);
  return known;
}

function report(): void {
  const rows = new Map<string, { killed: number; survived: number; equivalent: number }>();
  const survivors: string[] = [];
  for (const mutant of chosen) {
    const reason = equivalents.find(
      ({ file, line, change }) => file === mutant.file && line === lineOf(mutant) && change === shown(mutant),
    )?.reason;
    const isKilled = outcomes.get(idOf(mutant))?.killedBy !== null;
    const result = isKilled ? 'killed' : reason === undefined ? 'survived' : 'equivalent';
    const where = `${mutant.file}:${mutant.line}  ${shown(mutant)}`;
    if (result === 'survived') survivors.push(`${where}\n    ${lineOf(mutant)}`);
    const parts = dirname(mutant.file).split('/').slice(0, 2).join('/');
    for (const folder of new Set([parts, parts.split('/')[0] ?? '', 'all'])) {
      const row = rows.get(folder) ?? { killed: 0, survived: 0, equivalent: 0 };
      rows.set(folder, { ...row, [result]: row[result] + 1 });
    }
  }
  console.log('\n| Folder | Noticed | Not noticed | Equivalent | Share |\n| --- | --- | --- | --- | --- |');
  for (const [folder, { killed, survived, equivalent }] of [...rows].toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  )) {
    const share = killed + survived === 0 ? '' : `${((100 * killed) / (killed + survived)).toFixed(0)} %`;
    console.log(`| ${folder} | ${killed} | ${survived} | ${equivalent} | ${share} |`);
  }
  console.log(`\nNot noticed:\n${survivors.toSorted().join('\n')}`);
}

function lineOf({ source, line }: FileMutant): string {
  return (source.split('\n')[line - 1] ?? '').trim();
}

function shown({ source, start, end, replacement }: FileMutant): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${short(source.slice(start, end))} -> ${short(replacement)}`;
}
