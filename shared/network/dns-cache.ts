/**
 * Keeps answers for as long as they say (RFC 1035 section 3.2.1), the absent ones too (RFC 2308), inside fixed
 * bounds of number, size and time. The oldest entries go first.
 */
import type { Answer, RecordData, RecordType } from '../protocol/dns.ts';
import type { Clock } from './ports.ts';

export interface CacheLimits {
  readonly entries: number;
  /** Octets of the messages that the entries came from, in all. */
  readonly octets: number;
  /** The longest that any answer is kept, whatever its TTL. A monitor is asked about changes, so minutes. */
  readonly seconds: number;
}

const CACHE_LIMITS: CacheLimits = { entries: 20_000, octets: 8_000_000, seconds: 300 };

/** RFC 2308 section 7.1 allows five minutes; a server that recovers should be noticed by the next check. */
export const SERVER_FAILURE_SECONDS = 3;

export type AnyAnswer = Answer<RecordData[RecordType]>;

/** An answer with how long it may be kept (0: not at all) and the octets it came in. */
export interface Keepable {
  readonly answer: AnyAnswer;
  readonly seconds: number;
  readonly octets: number;
}

interface Entry extends Keepable {
  readonly askedAt: number;
  readonly keptAt: number;
}

export interface DnsCache {
  /** The answer kept under `key`, its TTL counted down; undefined where there is none or it is too old. */
  get(key: string): AnyAnswer | undefined;
  /** Keeps the answer to a question asked at `askedAt` (ms), unless one to a later question is there. */
  put(key: string, keepable: Keepable, askedAt: number): void;
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
    put(key, keepable, askedAt) {
      if ((entries.get(key)?.askedAt ?? askedAt) > askedAt) return;
      drop(key);
      const seconds = Math.min(keepable.seconds, limits.seconds);
      if (seconds <= 0) return;
      entries.set(key, { ...keepable, seconds, askedAt, keptAt: clock.now().getTime() });
      octets += keepable.octets;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && octets <= limits.octets) break;
        drop(oldest);
      }
    },
  };
}

function aged(answer: AnyAnswer, age: number): AnyAnswer {
  const evidence = { ...answer.evidence, milliseconds: 0, fromCache: true };
  return answer.status === 'found'
    ? { ...answer, ttl: Math.max(0, answer.ttl - age), evidence }
    : { ...answer, evidence };
}
