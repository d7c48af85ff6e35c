/**
 * Bounds how long a mail waits for the DNS of its sender. Most senders' DNS answers at once. A few mails at a time may wait longer;
 * the others give their place back and are read again later, so that silent senders delay nobody else's mail.
 */
import { dnsWithDeadline } from '../network/deadline.ts';
import type { Dns } from '../protocol/dns.ts';

/** Every mail may wait so long. */
const QUICK_MILLISECONDS = 300;
/** How many mails of a process may wait longer at the same time. */
const PATIENT_MAILS = 4;
/** A mail that has been in the queue for longer has others behind it, so it doesn't wait longer. */
const QUEUED_MILLISECONDS = 3000;
/** After how many seconds a mail is read again that gave its place back, by how often it has been received. */
const RETRY_SECONDS = [5, 20];

/** The DNS of the sender is silent, and others wait. Nothing was stored. */
export class SilentSender extends Error {
  override readonly name = 'SilentSender';
  readonly retrySeconds: number;

  constructor(retrySeconds: number) {
    super("the DNS of the mail's sender does not answer");
    this.retrySeconds = retrySeconds;
  }
}

let patient = 0;

export interface Patience {
  /**
   * How often the mail has been received, including this time. After the retries, it goes on without what its sender's DNS did
   * not answer. Lookups go on when a mail gives its place back, so an answer that came later is known by then.
   */
  readonly attempt: number;
  /** How long the mail has been in the queue by now. */
  readonly queuedMilliseconds: () => number;
  /** The longest wait; then lookups are unavailable. */
  readonly milliseconds: number;
}

/** Of a mail that somebody reads again and waits for. */
export const UNHURRIED = { attempt: Number.POSITIVE_INFINITY, queuedMilliseconds: () => 0 };

/** Runs the lookups of a mail. @throws SilentSender */
export async function withPatience<T>(
  dns: Dns,
  { attempt, queuedMilliseconds, milliseconds }: Patience,
  work: (dns: Dns) => Promise<T>,
): Promise<T> {
  const retrySeconds = RETRY_SECONDS[attempt - 1];
  const over = new AbortController();
  let isPatient = false;
  let gaveUp = false;
  const quick = setTimeout(() => {
    if (attempt === UNHURRIED.attempt) return;
    if (patient < PATIENT_MAILS && queuedMilliseconds() <= QUEUED_MILLISECONDS) {
      patient += 1;
      isPatient = true;
      return;
    }
    gaveUp = true;
    over.abort();
  }, QUICK_MILLISECONDS);
  const longest = setTimeout(() => over.abort(), milliseconds);
  try {
    const result = await work(dnsWithDeadline(dns, over.signal));
    if (gaveUp && retrySeconds !== undefined) throw new SilentSender(retrySeconds);
    return result;
  } finally {
    clearTimeout(quick);
    clearTimeout(longest);
    if (isPatient) patient -= 1;
  }
}
