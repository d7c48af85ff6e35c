/** Lives through seeds in a process of its own, and sends what it finds to `index.ts`. */
import { serviceCode } from './code.ts';
import { violationsOf } from './invariants.ts';
import { plantedBugs } from './planted.ts';
import { live } from './scenario.ts';

/** Seeds from `first` on, each `step`th, up to `last`; with the planted bug of this name, until one shows it. */
export interface Task {
  readonly first: number;
  readonly step: number;
  readonly last: number;
  readonly bug?: string;
}

export interface Lived {
  readonly seed: number;
  readonly trace: string;
  readonly violations: readonly string[];
  /** Events of the world, and how often a process was killed. */
  readonly steps: number;
  readonly kills: number;
  readonly mails: number;
}

process.on('message', async ({ first, step, last, bug }: Task) => {
  const code = await serviceCode(plantedBugs.filter(({ name }) => name === bug));
  let rejected: unknown;
  process.on('unhandledRejection', (error) => {
    rejected = error;
  });
  for (let seed = first; seed <= last; seed += step) {
    rejected = undefined;
    const story = await live(seed, code);
    const { world, mails } = story;
    const lived: Lived = {
      seed,
      trace: world.schedule.trace(),
      violations: [
        ...violationsOf(story),
        ...(rejected === undefined ? [] : [`an error that nobody handled: ${String(rejected)}`]),
      ],
      steps: world.schedule.steps,
      kills: world.schedule.lines.filter((line) => line.endsWith(' killed')).length,
      mails: mails.length,
    };
    world.close();
    process.send?.(lived);
    if (process.env.TRACE === 'on') process.send?.({ lines: world.schedule.lines });
    if (bug !== undefined && lived.violations.length > 0) break;
  }
  process.disconnect();
});
