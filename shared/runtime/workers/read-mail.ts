/** What the workers that read mail have in common. */
import { largeMailsInTurn } from '../../ingest/large-mails.ts';
import { type Patience, SilentSender } from '../../ingest/sender-patience.ts';
import type { Clock } from '../../network/ports.ts';
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
