/** What goes wrong in a simulated world, and how much. */
import type { Chance } from './schedule.ts';

/** How much goes wrong: shares of the calls, and milliseconds. */
export interface Trouble {
  /** Calls that fail before they do anything, and after they did it. */
  readonly failedBefore: number;
  readonly failedAfter: number;
  /** Calls during which the process is killed, before or after they did something. */
  readonly killed: number;
  /** The longest delay of most calls, and the share of those that take seconds. */
  readonly delay: number;
  readonly slow: number;
  /** Messages that a queue delivers twice. */
  readonly duplicated: number;
  /** DNS queries that get no answer, and answers that come twice. */
  readonly dropped: number;
  /** Requests of webhooks, and mails, that fail before or after the recipient got them. */
  readonly undelivered: number;
}

export const noTrouble: Trouble = {
  ...{ failedBefore: 0, failedAfter: 0, killed: 0, delay: 5, slow: 0 },
  ...{ duplicated: 0, dropped: 0, undelivered: 0 },
};

/** Each kind of trouble is there or not, and more or less of it. */
export function troubleOf(chance: Chance): Trouble {
  const some = (most: number, share = 0.7): number => (chance() < share ? most * chance() : 0);
  return {
    failedBefore: some(0.15),
    failedAfter: some(0.15),
    killed: some(0.02),
    delay: 1 + Math.floor(some(500)),
    slow: some(0.02, 0.3),
    duplicated: some(0.5),
    dropped: some(0.2),
    undelivered: some(0.5),
  };
}
