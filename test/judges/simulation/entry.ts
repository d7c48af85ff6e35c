/** What is evaluated for each simulated process. */
export { reachPeersBy } from './peers.ts';
export { start } from './process.ts';
