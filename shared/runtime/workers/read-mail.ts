/**
 * What the workers that read mail have in common. Many small mails are read at once, but few large ones, so that they fit into
 * memory.
 */
import { type Patience, SilentSender } from '../../ingest/sender-patience.ts';
import type { Clock } from '../../network/ports.ts';
import { semaphore } from '../../network/semaphore.ts';
import type { RawMessages } from '../../store/raw-messages.ts';
import { type MessageWork, RetryLater } from './worker.ts';

interface MailReading {
  readonly raw: RawMessages;
  /** Has the message received again after so many seconds. */
  readonly postpone: (receipt: string, seconds: number) => Promise<void>;
}

/**
 * How a message of a queue waits for the DNS of its sender. That Lambda gathered others for its batch does not mean that others
 * wait behind it.
 */
export function patienceOf(
  { attempt, sentAt, firstReceivedAt }: Pick<MessageWork, 'attempt' | 'sentAt' | 'firstReceivedAt'>,
  clock: Clock,
): Omit<Patience, 'milliseconds'> {
  const begun = clock.now().getTime();
  const taken = attempt() === 1 ? firstReceivedAt().getTime() : begun;
  const queued = taken - sentAt().getTime();
  return { attempt: attempt(), queuedMilliseconds: () => queued + clock.now().getTime() - begun };
}

/**
 * Reads a mail: few large ones at the same time, and again later if the DNS of the sender is silent.
 * @throws RetryLater, and what `read` throws.
 */
export async function readMailInTurn<T>(
  { raw, postpone }: MailReading,
  { receipt }: Pick<MessageWork, 'receipt'>,
  read: (raw: RawMessages) => Promise<T>,
): Promise<T> {
  try {
    return await largeMailsInTurn(raw, read);
  } catch (error) {
    if (!(error instanceof SilentSender)) throw error;
    await postpone(receipt, error.retrySeconds);
    throw new RetryLater(error.message);
  }
}

/** Reports and test messages are rarely larger. */
const SMALL_BYTES = 1024 * 1024;

/** Raw, decoded and parsed, two of the largest fit into the memory of a function. */
const LARGE_MAILS = 2;

const turn = semaphore(LARGE_MAILS);

/** Runs `work`; when it reads a large message, it waits until fewer than `LARGE_MAILS` others that did are running. */
async function largeMailsInTurn<T>(raw: RawMessages, work: (raw: RawMessages) => Promise<T>): Promise<T> {
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
