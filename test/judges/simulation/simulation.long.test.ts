/** Simulated worlds in which everything goes wrong that can, and what makes them worth something. */
import { expect, test } from '@jest/globals';
import { seedOfBug, seedsOf, traceOf } from './index.ts';
import { plantedBugs } from './planted.ts';

const SEEDS = 40;
/** Enough for a busy machine: a seed takes about a second of CPU time. */
const TIMEOUT_MILLISECONDS = 1_200_000;

test(
  `${SEEDS} seeds are without a violation`,
  async () => {
    const lived = await seedsOf(SEEDS);
    expect(lived.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(lived).toHaveLength(SEEDS);
    expect(lived.some(({ kills }) => kills > 5)).toBe(true);
  },
  TIMEOUT_MILLISECONDS,
);

test(
  'a seed is the same world each time, whatever was before it',
  async () => {
    const [, , third] = await seedsOf(3);
    expect(await traceOf(3)).toBe(third?.trace);
  },
  TIMEOUT_MILLISECONDS,
);

test(
  'a planted bug is found',
  async () => {
    const found = plantedBugs.find(({ name }) => name.startsWith('A message that failed'));
    expect(await seedOfBug(found?.name ?? '')).toBeDefined();
  },
  TIMEOUT_MILLISECONDS,
);
