import { timingSafeEqual } from 'node:crypto';

/** Whether a text that somebody sent is the secret. Takes the same time wherever texts of the same length differ. */
export function isSameSecret(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
