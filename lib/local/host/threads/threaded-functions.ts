/**
 * Runs the functions that read what strangers wrote, mail and DNS, in threads, and the others in the host. Mail and lookups have a
 * thread each, so that neither stops the other.
 */

import { semaphore } from '../../../../shared/network/semaphore.ts';
import type { Capability } from '../../../../shared/operations/capability.ts';
import { checkedEvent, type FunctionRow, inTime, type LocalFunction, sourceFunction } from '../invoke.ts';
import { HostThread, type HostThreadOptions, ThreadEnded, Unresponsive } from './host-thread.ts';

type Row = FunctionRow & { readonly uses: readonly Capability[] };

export interface ThreadedFunctions {
  /** The function of a row, in a thread if it reads mail or DNS answers. */
  functionOf(row: Row): LocalFunction;
  /** The same for messages of a queue: one that was interrupted by another is run again, alone. */
  consumerOf(row: Row): LocalFunction;
  /** By how much the thread of lookups is late, in milliseconds. */
  delay(): number;
  stop(): Promise<void>;
}

const FUNCTIONS = new URL('../../../../functions/', import.meta.url);

/** JavaScript objects of a thread; the largest mail takes a third. */
const MEMORY_MEGABYTES = 2048;

export function threadedFunctions(
  options: Pick<HostThreadOptions, 'servers'> & Partial<Omit<HostThreadOptions, 'name'>>,
): ThreadedFunctions {
  const start = (name: string) =>
    new HostThread({ folder: FUNCTIONS, memoryMegabytes: MEMORY_MEGABYTES, ...options, name });
  const threads = { mail: start('mail'), lookups: start('lookups'), alone: start('alone') };
  const alone = semaphore(1);

  function functionOf(row: Row): LocalFunction {
    const thread = threadOf(row.uses);
    return thread === undefined ? sourceFunction(row) : threaded(row, threads[thread]);
  }

  return {
    functionOf,
    consumerOf(row) {
      const shared = functionOf(row);
      const separate = threaded(row, threads.alone);
      return {
        name: shared.name,
        async invoke(event) {
          try {
            return await shared.invoke(event);
          } catch (error) {
            if (!(error instanceof Unresponsive || error instanceof ThreadEnded)) throw error;
            return alone(() => separate.invoke(event));
          }
        },
      };
    },
    delay: () => threads.lookups.delay,
    async stop() {
      await Promise.all(Object.values(threads).map((thread) => thread.stop()));
    },
  };
}

/** Who stores a report mail fetched it, and read it before. */
const readsMail: readonly Capability[] = ['report-mail:read', 'report-mail:write', 'test-mail:read'];

function threadOf(uses: readonly Capability[]): 'mail' | 'lookups' | undefined {
  if (readsMail.some((use) => uses.includes(use))) return 'mail';
  return uses.includes('dns') ? 'lookups' : undefined;
}

function threaded(
  { handler: file, timeoutSeconds, memoryMegabytes }: FunctionRow,
  thread: HostThread,
): LocalFunction {
  return {
    name: file,
    async invoke(event, signal) {
      const json = checkedEvent(file, event);
      const endsAt = Date.now() + timeoutSeconds * 1000;
      const invocation = { functionName: file, memoryMegabytes, endsAt };
      // What takes longer than its time is not waited for, so it stops, too.
      const late = new AbortController();
      const ends = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
      try {
        return await inTime(file, timeoutSeconds, thread.invoke(file, json, invocation, ends));
      } finally {
        late.abort();
      }
    },
  };
}
