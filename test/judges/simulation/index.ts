/**
 * Judges the service by chance: thousands of worlds, each from a seed, in which everything goes wrong that can, and after
 * which everything that `invariants.ts` says must hold. It also has to find the bugs of `planted.ts`.
 *
 *     npm run judge simulation                 10,000 seeds, and the planted bugs
 *     SEEDS=200 npm run judge simulation       the first 200
 *     SEED=7 npm run judge simulation          the world of one seed, twice, with what happened in it
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { BenchRow } from '../../bench/row.ts';
import { plantedBugs } from './planted.ts';
import type { Lived, Task } from './run-seeds.ts';

const ALL_SEEDS = 10_000;
/** A bug that no world up to this seed shows is not found. */
const SEEDS_OF_BUG = 150;
/** Most of the memory is that of one world, and each process evaluates the code of the product again. */
const OPTIONS = ['--max-semi-space-size=256', '--always-sparkplug', '--disable-warning=ExperimentalWarning'];
const RUN_SEEDS = new URL('run-seeds.ts', import.meta.url);

export async function judgeSimulation(): Promise<readonly BenchRow[]> {
  const { SEED, SEEDS } = process.env;
  if (SEED !== undefined) return oneSeed(Number(SEED));
  const last = Number(SEEDS ?? ALL_SEEDS);
  const began = performance.now();
  const lived = await seedsOf(last);
  const seconds = (performance.now() - began) / 1000;
  const broken = lived.filter(({ violations }) => violations.length > 0);
  for (const { seed, violations } of broken) console.log(`SEED=${seed}: ${violations.join('\n  ')}`);
  const total = (of: (one: Lived) => number) => lived.reduce((sum, one) => sum + of(one), 0);
  const found = [];
  for (const { name } of plantedBugs) {
    const seed = await seedOfBug(name);
    console.log(`${seed === undefined ? 'not found' : `found by seed ${seed}`}: ${name}`);
    if (seed !== undefined) found.push(seed);
  }
  return [
    {
      name: 'Seeds without a violation',
      value: `${lived.length - broken.length} of ${last}`,
      goal: `${last}`,
      met: lived.length === last && broken.length === 0,
    },
    {
      name: 'Planted bugs found',
      value: `${found.length} of ${plantedBugs.length}`,
      goal: 'all',
      met: found.length === plantedBugs.length,
    },
    {
      name: 'Mails, and kills of a process',
      value: `${total(({ mails }) => mails)}, ${total(({ kills }) => kills)}`,
      goal: '-',
      met: true,
    },
    { name: 'Seeds per second', value: (lived.length / seconds).toFixed(2), goal: '-', met: true },
  ];
}

/** Lives through one world twice, and shows what happened in it. */
async function oneSeed(seed: number): Promise<readonly BenchRow[]> {
  const task = { first: seed, step: 1, last: seed };
  const [once, again] = [await run(task, true), await run(task)];
  const [first, second] = [once[0], again[0]];
  return [
    {
      name: `Violations of seed ${seed}`,
      value: first?.violations.join('; ') || 'none',
      goal: 'none',
      met: first?.violations.length === 0,
    },
    {
      name: 'Trace of two runs',
      value: `${first?.trace}, ${second?.trace}`,
      goal: 'the same',
      met: first !== undefined && first.trace === second?.trace,
    },
  ];
}

/** The first seeds, in their order, shared by a process for each CPU. */
export async function seedsOf(last: number): Promise<readonly Lived[]> {
  const step = availableParallelism();
  const tasks = Array.from({ length: step }, (_, at) => ({ first: at + 1, step, last }));
  const lived = (await Promise.all(tasks.map((task) => run(task)))).flat();
  return lived.toSorted((a, b) => a.seed - b.seed);
}

/** The hash of all that happens in the world of a seed. */
export async function traceOf(seed: number): Promise<string | undefined> {
  const [lived] = await run({ first: seed, step: 1, last: seed });
  return lived?.trace;
}

/** The first seed whose world shows a planted bug. */
export async function seedOfBug(bug: string): Promise<number | undefined> {
  const lived = await run({ first: 1, step: 1, last: SEEDS_OF_BUG, bug });
  return lived.find(({ violations }) => violations.length > 0)?.seed;
}

/** @param isShown Whether what happens is written to the terminal. */
async function run(task: Task, isShown = false): Promise<readonly Lived[]> {
  const lived: Lived[] = [];
  const env = { ...process.env, TRACE: isShown ? 'on' : 'off' };
  const child = fork(RUN_SEEDS, { execArgv: OPTIONS, env }).on(
    'message',
    (message: Lived | { readonly lines: readonly string[] }) => {
      if ('lines' in message) console.log(message.lines.join('\n'));
      else lived.push(message);
    },
  );
  child.send(task);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the seeds from ${task.first} on ended with ${code}`);
  return lived;
}
