/** How much strangers can have stored: results of the public tools that they save. */
import { callerOf, SITE_BITS } from '../../network/caller.ts';
import { rateLimited } from '../../runtime/http/errors.ts';
import type { LimitDependencies } from './limit-dependencies.ts';

const DAY_MILLISECONDS = 86_400_000;

/**
 * Bytes after compression in any 24 hours. A saved SPF result has about 2 KB and a saved check of a domain about 10 KB, so
 * a client saves some two hundred checks a day. All clients together add at most 86 GB in the 430 days for which results
 * can be kept without a visit. The last result that fits may exceed the limit.
 */
const CLIENT_LIMIT = { limit: 2_000_000, windowMilliseconds: DAY_MILLISECONDS };
const SERVICE_LIMIT = { limit: 200_000_000, windowMilliseconds: DAY_MILLISECONDS };

/**
 * Counts the bytes of a result that is about to be saved.
 * @throws ServiceError `rate_limited` if the client, or all clients together, have saved too much.
 */
export async function countSavedBytes(
  clientAddress: string,
  bytes: number,
  { limits, clock }: LimitDependencies,
): Promise<void> {
  const now = clock.now();
  const weight = { weight: bytes };
  const own = await limits.consume('saved', callerOf(clientAddress, SITE_BITS), CLIENT_LIMIT, now, weight);
  if (!own.allowed)
    throw rateLimited(own.retryAfterMilliseconds, 'You can save at most 2 MB of results in 24 hours.');
  const all = await limits.consume('saved-by-all', '', SERVICE_LIMIT, now, weight);
  if (!all.allowed)
    throw rateLimited(
      all.retryAfterMilliseconds,
      'No more results can be saved at the moment. Try again later.',
    );
}
