/** Longer than a busy machine needs for anything that tests wait for. */
const PATIENCE_MILLISECONDS = 60_000;

/** Seldom enough for the limit of calls that most services here are started with. */
const EVERY_MILLISECONDS = 250;

/** Waits until something is so; throws where it does not come to be so. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MILLISECONDS;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, EVERY_MILLISECONDS));
  }
}
