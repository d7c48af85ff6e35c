/** When a certificate should have been renewed, and who issued it. */
import { X509Certificate } from 'node:crypto';
import type { CertificateFacts } from '../network/ports.ts';
import { excerpt } from '../protocol/findings/excerpt.ts';
import { DAY_MILLISECONDS } from '../protocol/time.ts';

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
  return validTo.getTime() - now.getTime() < Math.min(mostDays * DAY_MILLISECONDS, lastPart);
}

/**
 * The organization that issued a certificate, because a CA renames its intermediate certificates with every other renewal.
 */
export function issuerOf({ chain: [leaf] }: CertificateFacts): string | null {
  if (leaf === undefined) return null;
  const { O: organization, CN: name } = new X509Certificate(leaf).toLegacyObject().issuer;
  const shown = [organization, name].flat().find((text) => text !== undefined && text !== '');
  return shown === undefined ? null : excerpt(shown);
}
