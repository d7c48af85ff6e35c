/** Days and times, and how texts for people write them: in UTC, the same everywhere. */

/** A day of UTC as computers count it, without leap seconds. */
export const DAY_MILLISECONDS = 86_400_000;

/** The day, such as `2026-11-21`, of a time. */
export const dayAt = (time: Date): string => time.toISOString().slice(0, 10);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `21 Nov 2026`, of an ISO 8601 day or time. What is neither is returned as it is. */
export function dayInWords(iso: string): string {
  const [, year, month = '', day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(iso) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? iso : `${Number(day)} ${name} ${year}`;
}

/** `21 Nov 2026, 10:31 UTC`, of an ISO 8601 time in UTC. */
export function timeInWords(iso: string): string {
  const time = /^[\d-]{10}T(\d\d:\d\d)/.exec(iso)?.[1];
  return time === undefined ? dayInWords(iso) : `${dayInWords(iso)}, ${time} UTC`;
}
