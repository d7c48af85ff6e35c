/**
 * The real Dns: our own stub resolver, because Node's sends no EDNS, returns no signatures and no extended errors, and
 * sometimes returns an empty list for "no data".
 */
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type {
  Answer,
  Dns,
  DnsEvidence,
  LookupOptions,
  RecordData,
  RecordType,
  Unavailable,
} from '../protocol/dns.ts';
import { encodeName, MalformedMessage, readName } from '../protocol/wire-name.ts';
import { type FailedReply, messageFailure, type Reply, resolve } from './dns-answer.ts';
import { type AnyAnswer, type CacheLimits, createDnsCache } from './dns-cache.ts';
import {
  exchange,
  type ServerAddress,
  TransportError,
  type TransportFailure,
  writeServer,
} from './dns-transport.ts';
import { decodeMessage, type Message, type Question } from './dns-wire.ts';
import { createFailureCache } from './failure-cache.ts';
import { lookupTurns } from './lookup-turns.ts';
import type { Clock } from './ports.ts';
import { silentZones } from './silent-zones.ts';

export type { ServerAddress } from './dns-transport.ts';

export interface ResolverOptions {
  /** Queried in this order. The next server is queried too if one is silent or fails. */
  readonly servers: readonly ServerAddress[];
  readonly clock: Clock;
  /**
   * How long a server may be silent before another one (or the same one again) is queried as well. Silence that ends
   * sooner because the caller ran out of time does not count as a failure and is not cached.
   */
  readonly retryMilliseconds?: number;
  /** The time limit of a lookup, including aliases. */
  readonly lookupMilliseconds?: number;
  readonly cache?: CacheLimits;
  /** Names with the same zone share limits, and silence. By default, each name is for itself. */
  readonly zoneOf?: (name: string) => string;
}

const RETRY_MILLISECONDS = 1500;
const LOOKUP_MILLISECONDS = 6000;
/** The minimum number of queries, so that one lost packet does not fail the lookup. */
const MIN_ATTEMPTS = 3;
/** The system's resolvers. */
export function systemServers(): ServerAddress[] {
  return getServers().flatMap((server) => {
    const written = /^\[(.+)\]:(\d+)$/.exec(server) ?? /^([^:]+):(\d+)$/.exec(server);
    const address = written?.[1] ?? server;
    return isIP(address) === 0 ? [] : [{ address, port: Number(written?.[2] ?? 53) }];
  });
}

/** What distinguishes two questions about the same name and type. */
type Flags = Pick<Question, 'dnssec' | 'checkingDisabled'>;

/** A lookup in progress. */
interface Attempt {
  readonly answer: Promise<AnyAnswer>;
  /** Call this when a caller stops waiting. */
  readonly abandon: () => void;
}

/**
 * Creates a Dns that queries recursive resolvers over UDP and TCP, shares identical questions, and caches answers and
 * failures.
 *
 * A `fresh` lookup bypasses both caches. Its answer replaces the cached one. Its failure is cached like any other,
 * beside an answer that has not expired.
 */
export function createResolver(options: ResolverOptions): Dns {
  const { servers, clock } = options;
  const retryMilliseconds = options.retryMilliseconds ?? RETRY_MILLISECONDS;
  const lookupMilliseconds = options.lookupMilliseconds ?? LOOKUP_MILLISECONDS;
  const cache = createDnsCache(clock, options.cache);
  const failures = createFailureCache(clock);
  const inFlight = new Map<string, Attempt>();
  const inTurn = lookupTurns();
  const silent = silentZones();

  /** Starts a lookup that identical questions share. */
  function attempt(key: string, name: string, type: RecordType, flags: Flags): Attempt {
    const queriedAt = clock.now().getTime();
    const end = performance.now() + lookupMilliseconds;
    /** When the query without an answer so far was sent. */
    let silentSince = Number.POSITIVE_INFINITY;

    async function ask(owner: string): Promise<Reply> {
      const wireName = encodeName(owner);
      // Only a CNAME in an answer could contain such a name.
      if (wireName === undefined) return { failure: 'malformed', evidence: { milliseconds: 0 } };
      const zone = options.zoneOf?.(owner) ?? owner;
      if (silent.skips(zone)) return { failure: 'timeout', evidence: { milliseconds: 0 } };
      const reply = await inTurn(zone, (ended) => {
        silentSince = performance.now();
        const question = { ...flags, type, wireName };
        return queryServers(servers, question, { milliseconds: end - silentSince, retryMilliseconds, ended });
      });
      if (!('failure' in reply) || reply.failure !== 'timeout') silent.answered(zone);
      else if (reply.evidence.milliseconds >= retryMilliseconds) silent.silent(zone, owner);
      return reply;
    }

    /** Time spent waiting for a turn says nothing about the servers. */
    function cacheFailure(failure: Unavailable): void {
      const { reason, evidence } = failure;
      if (reason === 'timeout' && evidence.milliseconds < retryMilliseconds) return;
      failures.put(key, failure, queriedAt);
    }

    async function find(): Promise<AnyAnswer> {
      const found = await resolve(name, type, flags.dnssec, ask);
      silentSince = Number.POSITIVE_INFINITY;
      if (found.answer.status === 'unavailable') {
        cacheFailure(found.answer);
      } else {
        failures.resolved(key);
        cache.put(key, found, queriedAt);
      }
      return found.answer;
    }

    const started: Attempt = {
      answer: find().finally(() => {
        if (inFlight.get(key) === started) inFlight.delete(key);
      }),
      abandon() {
        const milliseconds = Math.round(performance.now() - silentSince);
        cacheFailure({
          status: 'unavailable',
          reason: 'timeout',
          evidence: silenceEvidence(servers, milliseconds),
        });
      },
    };
    inFlight.set(key, started);
    return started;
  }

  return {
    async lookup<T extends RecordType>(name: string, type: T, lookup: LookupOptions = {}) {
      const wireName = encodeName(name);
      if (wireName === undefined) {
        return { status: 'absent', reason: 'invalid-name', aliases: [], evidence: { milliseconds: 0 } };
      }
      const { fresh, dnssec = false, checkingDisabled = false, retryInBackground, signal } = lookup;
      const queried = readName(wireName, 0).name;
      const key = `${type} ${dnssec} ${checkingDisabled} ${queried}`;
      const kept = fresh ? undefined : (cache.get(key) ?? failures.get(key));
      if (kept !== undefined) return kept as Answer<RecordData[T]>;

      // A fresh lookup must not share a query that was sent before it.
      const shared = fresh ? undefined : inFlight.get(key);
      const { answer, abandon } = shared ?? attempt(key, queried, type, { dnssec, checkingDisabled });
      const last = retryInBackground ? failures.last(key) : undefined;
      if (last !== undefined) {
        // No caller may be left to handle the rejection.
        answer.catch(() => undefined);
        return last;
      }
      signal?.addEventListener('abort', abandon);
      try {
        return (await answer) as Answer<RecordData[T]>;
      } finally {
        signal?.removeEventListener('abort', abandon);
      }
    },
  };
}

interface QueryLimits {
  readonly milliseconds: number;
  readonly retryMilliseconds: number;
  /** Ends the query before its time. */
  readonly ended: AbortSignal;
}

/**
 * Sends a question to the servers until one answers or the time is up. A silent server can still answer while the next
 * one is queried. If all fail, returns the most informative failure.
 */
function queryServers(
  servers: readonly ServerAddress[],
  question: Question,
  { milliseconds, retryMilliseconds, ended: cut }: QueryLimits,
): Promise<Reply> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const attempts = Array.from(
    { length: Math.max(MIN_ATTEMPTS, servers.length) },
    (_, i) => servers[i % servers.length],
  );
  const ended = new AbortController();
  const { name } = readName(question.wireName, 0);

  async function ask(server: ServerAddress): Promise<Reply> {
    const from = writeServer(server);
    try {
      const bytes = await exchange(server, question, ended.signal);
      const message = decodeMessage(bytes);
      const evidence = messageEvidence(from, message, elapsed());
      const failure = messageFailure(message, { name, type: question.type });
      return failure === undefined ? { message, octets: bytes.length, evidence } : { failure, evidence };
    } catch (error) {
      return { failure: failureOf(error), evidence: { server: from, milliseconds: elapsed() } };
    }
  }

  return new Promise((resolveReply) => {
    const failures: FailedReply[] = [];
    const failed = new Set<ServerAddress>();
    let open = 0;
    let retry: NodeJS.Timeout | undefined;

    const finish = (reply: Reply) => {
      clearTimeout(retry);
      clearTimeout(end);
      cut.removeEventListener('abort', giveUp);
      ended.abort();
      resolveReply(reply);
    };
    const startNext = () => {
      clearTimeout(retry);
      const server = attempts.find((candidate) => candidate !== undefined && !failed.has(candidate));
      if (server === undefined) {
        if (open === 0)
          finish(mostInformative(failures) ?? { failure: 'unreachable', evidence: { milliseconds: 0 } });
        return;
      }
      attempts.splice(0, attempts.indexOf(server) + 1);
      open += 1;
      retry = setTimeout(startNext, retryMilliseconds);
      ask(server).then((reply) => {
        open -= 1;
        if (ended.signal.aborted) return;
        if ('message' in reply) {
          finish(reply);
          return;
        }
        failures.push(reply);
        failed.add(server);
        startNext();
      });
    };
    const giveUp = () =>
      finish(
        mostInformative(failures) ?? { failure: 'timeout', evidence: silenceEvidence(servers, elapsed()) },
      );
    const end = setTimeout(giveUp, Math.max(0, milliseconds));
    cut.addEventListener('abort', giveUp);
    startNext();
  });
}

function silenceEvidence([first]: readonly ServerAddress[], milliseconds: number): DnsEvidence {
  return { ...(first === undefined ? {} : { server: writeServer(first) }), milliseconds };
}

function messageEvidence(server: string, { rcode, extendedError }: Message, milliseconds: number) {
  return { server, rcode, ...(extendedError === undefined ? {} : { extendedError }), milliseconds };
}

function failureOf(error: unknown): TransportFailure {
  if (error instanceof TransportError) return error.reason;
  return error instanceof MalformedMessage ? 'malformed' : 'unreachable';
}

/** A server's own error says more than silence, and silence more than an unreachable server; an explanation helps. */
const byInformation = ['server-failure', 'refused', 'malformed', 'timeout', 'unreachable'];

function mostInformative(failures: readonly FailedReply[]): FailedReply | undefined {
  const rank = ({ failure, evidence }: FailedReply) =>
    byInformation.indexOf(failure) + (evidence.extendedError === undefined ? 1 / 2 : 0);
  return failures.toSorted((a, b) => rank(a) - rank(b))[0];
}
