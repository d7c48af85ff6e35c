/** A day of UTC as computers count it, without leap seconds. */
export const DAY_MILLISECONDS = 86_400_000;
