/** Rules that several check endpoints share. */
import { rateLimited } from '../../shared/runtime/http/errors.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import type { exactRateStore } from '../../shared/store/rates/exact-rates.ts';

/** The limit of the interface specification: 5 per minute and domain. */
const CHECK_RATE = { limit: 5, windowMilliseconds: 60_000 };

/**
 * Counts a check run of `domain`, stored or not.
 * @throws ServiceError `rate_limited` beyond the limit.
 */
export async function countCheck(
  { organization, domain }: Domain,
  rates: Pick<ReturnType<typeof exactRateStore>, 'consumeExact'>,
  now: Date,
): Promise<void> {
  // By name, so that removing and registering the domain again does not reset the limit.
  const decision = await rates.consumeExact('checks', `${organization}#${domain}`, CHECK_RATE, now);
  if (!decision.allowed) {
    throw rateLimited(decision.retryAfterMilliseconds, 'A domain can be checked at most 5 times per minute.');
  }
}
