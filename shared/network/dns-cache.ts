/**
 * Caches answers for their TTL (RFC 1035 section 3.2.1), including negative answers (RFC 2308), with limits on number,
 * size and time. The oldest entries are evicted first.
 */
import type { Answer, RecordData, RecordType } from '../protocol/dns.ts';
import type { Clock } from './ports.ts';

export interface CacheLimits {
  readonly entries: number;
  /** The total size of the messages of all entries, in bytes. */
  readonly octets: number;
  /** The maximum time to cache an answer, whatever its TTL: minutes, because a monitor has to see changes. */
  readonly seconds: number;
}

const CACHE_LIMITS: CacheLimits = { entries: 20_000, octets: 8_000_000, seconds: 300 };

export type AnyAnswer = Answer<RecordData[RecordType]>;

/** An answer, how long it may be cached in seconds (0: not at all), and the size of its messages. */
export interface Keepable {
  readonly answer: AnyAnswer;
  readonly seconds: number;
  readonly octets: number;
}

interface Entry extends Keepable {
  readonly queriedAt: number;
  readonly keptAt: number;
}

interface DnsCache {
  /** The cached answer with its TTL counted down; undefined if there is none or it expired. */
  get(key: string): AnyAnswer | undefined;
  /** Caches the answer to a question sent at `queriedAt` (ms), unless a later answer is cached. */
  put(key: string, keepable: Keepable, queriedAt: number): void;
}

export function createDnsCache(clock: Clock, limits: CacheLimits = CACHE_LIMITS): DnsCache {
  const entries = new Map<string, Entry>();
  let octets = 0;

  function drop(key: string): void {
    octets -= entries.get(key)?.octets ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const age = Math.floor((clock.now().getTime() - entry.keptAt) / 1000);
      if (age < 0 || age >= entry.seconds) {
        drop(key);
        return undefined;
      }
      return aged(entry.answer, age);
    },
    put(key, keepable, queriedAt) {
      if ((entries.get(key)?.queriedAt ?? queriedAt) > queriedAt) return;
      drop(key);
      const seconds = Math.min(keepable.seconds, limits.seconds);
      if (seconds <= 0) return;
      entries.set(key, { ...keepable, seconds, queriedAt, keptAt: clock.now().getTime() });
      octets += keepable.octets;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && octets <= limits.octets) break;
        drop(oldest);
      }
    },
  };
}

/** The answer as it leaves the cache after `age` seconds. */
export function aged<T extends AnyAnswer>(answer: T, age: number): T {
  const evidence = { ...answer.evidence, milliseconds: 0, fromCache: true };
  return answer.status === 'found' ? { ...answer, ttl: answer.ttl - age, evidence } : { ...answer, evidence };
}
