/** Saving results of the public tools, and how much of them strangers can have stored. */
import { callerOf, SITE_BITS } from '../../network/caller.ts';
import { DAY_MILLISECONDS } from '../../protocol/time.ts';
import { type Outcome, Refused, tooOften } from '../outcome.ts';
import type { LimitDependencies } from './limit-dependencies.ts';

/**
 * Bytes after compression in any 24 hours. A saved SPF result has about 2 KB and a saved check of a domain, with its
 * evidence, about 20 KB, so a client saves some one hundred checks a day. All clients together add at most 86 GB in the 430 days for which results
 * can be kept without a visit. The last result that fits may exceed the limit.
 */
const CLIENT_LIMIT = { limit: 2_000_000, windowMilliseconds: DAY_MILLISECONDS };
const SERVICE_LIMIT = { limit: 200_000_000, windowMilliseconds: DAY_MILLISECONDS };

interface Shares<Content> {
  readonly save: (
    content: Content,
    now: Date,
    count: (octets: number) => Promise<Refused<'rate_limited'> | undefined>,
  ) => Promise<string | Refused<'rate_limited'> | undefined>;
}

/** Stores a result under a link, for a client; returns its id. */
export async function saveResult<Content>(
  content: Content,
  clientAddress: string,
  { shares, ...deps }: LimitDependencies & { readonly shares: Shares<Content> },
): Promise<Outcome<string, 'payload_too_large' | 'rate_limited'>> {
  const saved = await shares.save(content, deps.clock.now(), (octets) =>
    countSavedBytes(clientAddress, octets, deps),
  );
  if (saved === undefined) return new Refused('payload_too_large', 'The result is too large to save.');
  return saved instanceof Refused ? saved : { value: saved };
}

/**
 * Counts the bytes of a result that is about to be saved. Refused if the client, or all clients together, have saved too
 * much.
 */
export async function countSavedBytes(
  clientAddress: string,
  bytes: number,
  { limits, clock }: LimitDependencies,
): Promise<Refused<'rate_limited'> | undefined> {
  const now = clock.now();
  const weight = { weight: bytes };
  const own = await limits.consume('saved', callerOf(clientAddress, SITE_BITS), CLIENT_LIMIT, now, weight);
  if (!own.allowed)
    return tooOften(own.retryAfterMilliseconds, 'You can save at most 2 MB of results in 24 hours.');
  const all = await limits.consume('saved-by-all', '', SERVICE_LIMIT, now, weight);
  if (all.allowed) return undefined;
  return tooOften(all.retryAfterMilliseconds, 'No more results can be saved at the moment. Try again later.');
}
