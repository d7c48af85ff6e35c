/** Longer than any expected delay on a busy machine. */
const TIMEOUT_MILLISECONDS = 60_000;

/** Infrequent enough for the rate limit that most test services start with. */
const INTERVAL_MILLISECONDS = 250;

interface Waiting {
  readonly timeoutMilliseconds?: number;
  readonly intervalMilliseconds?: number;
  /** The condition, for the error message. */
  readonly what?: string;
}

/** Waits until the condition is true; throws if it stays false. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  {
    timeoutMilliseconds = TIMEOUT_MILLISECONDS,
    intervalMilliseconds = INTERVAL_MILLISECONDS,
    what = 'the condition',
  }: Waiting = {},
): Promise<void> {
  const end = Date.now() + timeoutMilliseconds;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`${what} stayed false`);
    await new Promise((resolve) => setTimeout(resolve, intervalMilliseconds));
  }
}
