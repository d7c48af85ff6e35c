/** When a certificate should have been renewed. */
import type { CertificateFacts } from '../network/ports.ts';

/**
 * The last part of its lifetime. Programs renew a certificate when a third of it remains, or a half if it is valid for a few
 * days (Let's Encrypt), so one that is within the last quarter was not renewed when it was due.
 */
const LAST_PART = 1 / 4;

/**
 * Whether a certificate that is valid at `now` should have been renewed.
 * @param mostDays How long before its end at most, however long it is valid.
 */
export function isOverdue(
  { validFrom, validTo }: Pick<CertificateFacts, 'validFrom' | 'validTo'>,
  mostDays: number,
  now: Date,
): boolean {
  const lastPart = LAST_PART * (validTo.getTime() - validFrom.getTime());
  return validTo.getTime() - now.getTime() < Math.min(mostDays * 86_400_000, lastPart);
}
