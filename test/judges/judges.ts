import type { Judge } from './judge.ts';

/** Each is loaded when it runs: modules of others slow what a judge measures. */
export const judges: readonly Judge[] = [
  {
    name: 'mass',
    what: 'How much of the product is written twice',
    run: async () => (await import('./mass.ts')).judgeMass(),
  },
];
