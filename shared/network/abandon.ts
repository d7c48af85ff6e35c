/** Stops work that nobody waits for any more, such as a check run for a request whose client is gone. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Dns } from '../protocol/dns.ts';
import { dnsWithDeadline } from './deadline.ts';

/** Thrown instead of a result that is incomplete because nobody waits for it. */
export class Abandoned extends Error {
  override readonly name = 'Abandoned';

  constructor() {
    super('nobody waits for the result any more');
  }
}

const signals = new AsyncLocalStorage<AbortSignal>();

/** Runs `work`; nobody waits for it from when `signal` aborts. */
export const whileWanted = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  signals.run(signal, work);

/** Aborts when nobody waits for the present work any more. */
export const abandonment = (): AbortSignal | undefined => signals.getStore();

/** @throws Abandoned, so that nothing incomplete is stored. */
export function throwIfAbandoned(): void {
  if (abandonment()?.aborted) throw new Abandoned();
}

/** A Dns whose lookups are unavailable when nobody waits for them any more. */
export const stoppableDns = (dns: Dns): Dns => ({
  lookup(...question) {
    const signal = abandonment();
    return (signal === undefined ? dns : dnsWithDeadline(dns, signal)).lookup(...question);
  },
});
