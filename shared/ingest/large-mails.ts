/** Reads several small mails at once, and large ones one after the other, so that they fit into memory. */
import { semaphore } from '../network/semaphore.ts';
import type { RawMessages } from '../store/raw-messages.ts';

/** Reports and test messages are rarely larger. */
const SMALL_BYTES = 1024 * 1024;

const turn = semaphore(1);

/** Runs `work`; when it reads a large message, it waits until no other one that did is running. */
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
