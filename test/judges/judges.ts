import type { Judge } from './judge.ts';

/** Each is loaded when it runs: modules of others slow what a judge measures. */
export const judges: readonly Judge[] = [
  {
    name: 'mass',
    what: 'How much of the product is written twice',
    run: async () => (await import('./mass.ts')).judgeMass(),
  },
  {
    name: 'simulation',
    what: 'Thousands of worlds in which everything goes wrong that can',
    run: async () => (await import('./simulation/index.ts')).judgeSimulation(),
  },
  {
    name: 'suites',
    what: 'Test suites of other projects, on our engine',
    run: async () => (await import('./suites/index.ts')).judgeSuites(),
  },
  {
    name: 'speed',
    what: 'What takes time, beside the fastest that do the same',
    run: async () => (await import('./speed/judge.ts')).judgeSpeed(),
  },
  {
    name: 'zones',
    what: 'More than 200 faulty zones: our findings beside those of other programs',
    run: async () => (await import('./zones/judge.ts')).judgeZones(),
  },
];
