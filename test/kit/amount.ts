/** How much a test does. `npm test` runs a short form of long tests, and `npm run test:full` the whole. */

/** jest.full.config.js sets this. */
const { isFull = false } = globalThis as { isFull?: boolean };

/** Returns `full` in `npm run test:full`, and `short` in `npm test`. */
export const amount = <T>(short: T, full: T): T => (isFull ? full : short);
