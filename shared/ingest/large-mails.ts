/** Reads many small mails at once, but few large ones, so that they fit into memory. */
import { semaphore } from '../network/semaphore.ts';
import type { RawMessages } from '../store/raw-messages.ts';

/** Reports and test messages are rarely larger. */
const SMALL_BYTES = 1024 * 1024;

/** Raw, decoded and parsed, two of the largest fit into the memory of a function. */
const LARGE_MAILS = 2;

const turn = semaphore(LARGE_MAILS);

/** Runs `work`; when it reads a large message, it waits until fewer than `LARGE_MAILS` others that did are running. */
export async function largeMailsInTurn<T>(
  raw: RawMessages,
  work: (raw: RawMessages) => Promise<T>,
): Promise<T> {
  const done = Promise.withResolvers<void>();
  let entered: Promise<void> | undefined;
  const enter = () =>
    new Promise<void>((resolve) => {
      void turn(() => {
        resolve();
        return done.promise;
      });
    });
  try {
    return await work({
      ...raw,
      async read(key, limit) {
        const small = await raw.read(key, Math.min(limit, SMALL_BYTES));
        if (small !== 'too-large' || limit <= SMALL_BYTES) return small;
        entered ??= enter();
        await entered;
        return raw.read(key, limit);
      },
    });
  } finally {
    done.resolve();
  }
}
