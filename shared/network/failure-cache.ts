/**
 * Caches resolution failures, so that a question that just failed is not sent again at once (RFC 9520 section 3.2).
 *
 * - A failure counts for one question (name, type and flags) and no other, as RFC 2308 section 7 requires. Servers that
 *   ignore queries of one type answer others (RFC 4074 section 4.1), and with CD set a zone resolves whose signatures
 *   are broken. A stub resolver does not see which zone a name belongs to either.
 * - A cached failure stays `unavailable` with its reason. It never turns into `absent`.
 * - Each failure in a row doubles the time, from FIRST_SECONDS to MAX_SECONDS. Attempts that began before the last
 *   failure expired (`fresh` lookups) do not count as further ones, so nobody prolongs it by trying often.
 * - While nothing resolves, the network or the resolver is down, not one domain. Failures then expire after
 *   OUTAGE_SECONDS at most, so that lookups resume soon after the outage.
 */
import type { Unavailable } from '../protocol/dns.ts';
import { aged } from './dns-cache.ts';
import type { Clock } from './ports.ts';

/** RFC 9520 asks for 1 second at least. Someone who tries again after 5 seconds gets a new attempt. */
const FIRST_SECONDS = 3;
/** RFC 9520 section 3.2 and RFC 2308 section 7 allow no more. */
const MAX_SECONDS = 300;

/** Nothing has resolved for so long: an outage, as far as this resolver can tell. */
const OUTAGE_AFTER_SECONDS = 60;
/** Long enough that lookups that time out (6 seconds) are a small part of the time. */
const OUTAGE_SECONDS = 30;

/**
 * If no server is reachable, every lookup fails immediately, so sending the question again costs no time. These
 * failures get the minimum of RFC 9520, without back-off.
 */
const UNREACHABLE_SECONDS = 1;

/** About 500 octets each. The least recent failures go first. */
const MAX_ENTRIES = 5_000;

interface Entry {
  readonly failure: Unavailable;
  /** Milliseconds since 1970. */
  readonly failedAt: number;
  /** How long it is cached. */
  readonly seconds: number;
  /** Failures in a row that back-off counts. */
  readonly count: number;
}

interface FailureCache {
  /** The failure of the question `key`; undefined once it has expired. */
  get(key: string): Unavailable | undefined;
  /** The same, expired or not, for MAX_SECONDS. */
  last(key: string): Unavailable | undefined;
  /**
   * Caches the failure of an attempt that began at `queriedAt` (milliseconds since 1970) or is still waiting for an
   * answer.
   */
  put(key: string, failure: Unavailable, queriedAt: number): void;
  /** Notes that a server answered the question, which ends its failure. */
  resolved(key: string): void;
}

export function createFailureCache(clock: Clock): FailureCache {
  const entries = new Map<string, Entry>();
  let resolvedAt = 0;
  const now = () => clock.now().getTime();

  function read(key: string, seconds?: number): Unavailable | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    const age = (now() - entry.failedAt) / 1000;
    // If the clock was set back, the failure is ignored.
    return age >= 0 && age < (seconds ?? entry.seconds) ? aged(entry.failure, 0) : undefined;
  }

  return {
    get: (key) => read(key),
    last: (key) => read(key, MAX_SECONDS),
    put(key, failure, queriedAt) {
      const failedAt = now();
      const before = failuresBefore(entries.get(key), queriedAt);
      const isOutage = failedAt - resolvedAt > OUTAGE_AFTER_SECONDS * 1000;
      const backOff = Math.min(FIRST_SECONDS * 2 ** before, isOutage ? OUTAGE_SECONDS : MAX_SECONDS);
      const [seconds, count] =
        failure.reason === 'unreachable' ? [UNREACHABLE_SECONDS, before] : [backOff, before + 1];
      entries.delete(key);
      entries.set(key, { failure, failedAt, seconds, count });
      const [oldest = key] = entries.keys();
      if (entries.size > MAX_ENTRIES) entries.delete(oldest);
    },
    resolved(key) {
      entries.delete(key);
      resolvedAt = now();
    },
  };
}

/** Consecutive recent failures before the attempt that began at `queriedAt`. */
function failuresBefore(last: Entry | undefined, queriedAt: number): number {
  if (last === undefined) return 0;
  const { failedAt, seconds, count } = last;
  const sinceExpiry = (queriedAt - failedAt) / 1000 - seconds;
  if (sinceExpiry > MAX_SECONDS) return 0;
  return sinceExpiry < 0 ? Math.max(0, count - 1) : count;
}
