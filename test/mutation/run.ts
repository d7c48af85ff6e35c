/**
 * `npm run mutate [seed] [number] [folder...]`: makes small changes of meaning in `shared/` and `functions/`, one at a time in a
 * copy of the project, runs the tests nearest to each, and lists those that no test notices. Results are kept, so that a run
 * that was interrupted goes on. Stryker cannot run these tests: jest loads them as ES modules, and many run the
 * product in other processes.
 */
import { createHash } from 'node:crypto';
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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { random } from '../kit/random.ts';
import { testsByDistance } from './choose-tests.ts';
import { testsByCoverage } from './covered.ts';
import { equivalents } from './equivalents.ts';
import { type Mutant, mutantsOf, mutated } from './mutants.ts';
import { firstFailure } from './run-jest.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const CACHE = join(ROOT, 'node_modules/.cache/mutation');
/** What the tests need of the project. */
const COPIED = ['bin', 'docs', 'functions', 'lib', 'shared', 'test'];
/** Test files that run first, and those that run only if the first ones notice nothing. */
const NEAREST = 6;
const FURTHER = 16;
const END_TO_END = 3;

interface FileMutant extends Mutant {
  readonly file: string;
  readonly source: string;
}

const outcome = z.object({ id: z.string(), killedBy: z.nullable(z.string()) });
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
const running = testsByCoverage(ROOT, join(CACHE, 'coverage.json'));
const waiting = chosen.filter((mutant) => !outcomes.has(idOf(mutant)));
/** Test files that pass on an unchanged copy. */
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

/** The same for the same change of the same text. */
function idOf({ file, source, start, end, replacement }: FileMutant): string {
  const text = `${source}\0${start}\0${end}\0${replacement}`;
  return `${file}:${createHash('sha256').update(text).digest('base64url').slice(0, 12)}`;
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
      const one = { id: idOf(mutant), killedBy: (await killerOf(mutant, copy)) ?? null };
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
  const tests = near(file);
  const stages = [
    tests.slice(0, NEAREST),
    [...tests.slice(NEAREST, NEAREST + FURTHER), ...running(file).slice(0, END_TO_END)],
  ];
  try {
    writeFileSync(join(copy, file), mutated(source, mutant));
    for (const stage of stages) {
      let files = stage;
      for (;;) {
        const failure = await firstFailure(copy, files);
        if (failure === undefined) break;
        writeFileSync(join(copy, file), source);
        if (await isSound(failure, copy)) return failure;
        // A test that fails without the change says nothing about it.
        files = files.filter((one) => one !== failure);
        writeFileSync(join(copy, file), mutated(source, mutant));
      }
    }
    return undefined;
  } finally {
    writeFileSync(join(copy, file), source);
  }
}

function isSound(test: string, copy: string): Promise<boolean> {
  if (!test.startsWith('test/')) return Promise.resolve(true);
  const known = sound.get(test) ?? firstFailure(copy, [test]).then((failure) => failure === undefined);
  sound.set(test, known);
  return known;
}

function report(): void {
  const reasonOf = (mutant: FileMutant) =>
    equivalents.find(({ file, change }) => file === mutant.file && change === shown(mutant))?.reason;
  const rows = new Map<string, { killed: number; all: number }>();
  const survivors: string[] = [];
  for (const mutant of chosen) {
    const reason = reasonOf(mutant);
    const isKilled = outcomes.get(idOf(mutant))?.killedBy !== null;
    if (!isKilled)
      survivors.push(`${mutant.file}:${mutant.line}  ${shown(mutant)}${reason ? `  (${reason})` : ''}`);
    if (reason !== undefined) continue;
    const parts = dirname(mutant.file).split('/').slice(0, 2).join('/');
    for (const folder of new Set([parts, parts.split('/')[0] ?? '', 'all'])) {
      const row = rows.get(folder) ?? { killed: 0, all: 0 };
      rows.set(folder, { killed: row.killed + Number(isKilled), all: row.all + 1 });
    }
  }
  console.log('\n| Folder | Changes | Noticed |\n| --- | --- | --- |');
  for (const [folder, { killed, all }] of [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`| ${folder} | ${all} | ${((100 * killed) / all).toFixed(0)} % |`);
  console.log(`\nNot noticed:\n${survivors.toSorted().join('\n')}`);
}

function shown({ source, start, end, replacement }: FileMutant): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${short(source.slice(start, end))} -> ${short(replacement)}`;
}
