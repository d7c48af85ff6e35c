/**
 * The real Dns: a stub resolver of our own, since Node's sends no EDNS, gives no signatures, no extended errors
 * and, in places, an empty list for "no data".
 */
import { getServers } from 'node:dns';
import { isIP } from 'node:net';
import type { Answer, Dns, LookupOptions, RecordData, RecordType } from '../protocol/dns.ts';
import { type FailedReply, messageFailure, type Reply, resolve } from './dns-answer.ts';
import { type AnyAnswer, type CacheLimits, createDnsCache, type Keepable } from './dns-cache.ts';
import { encodeName, MalformedMessage, readName } from './dns-name.ts';
import {
  exchange,
  type ServerAddress,
  TransportError,
  type TransportFailure,
  writeServer,
} from './dns-transport.ts';
import { decodeMessage, type Message, type Question } from './dns-wire.ts';
import type { Clock } from './ports.ts';
import { turnstile } from './turnstile.ts';

export type { ServerAddress } from './dns-transport.ts';

export interface ResolverOptions {
  /** Asked in this order; the next one joins when one is silent or fails. */
  readonly servers: readonly ServerAddress[];
  readonly clock: Clock;
  /** How long a server may be silent before another one (or itself, again) is asked as well. */
  readonly retryMilliseconds?: number;
  /** How long a look-up takes at most, from question to answer, aliases included. */
  readonly lookupMilliseconds?: number;
  readonly cache?: CacheLimits;
}

const RETRY_MILLISECONDS = 1500;
const LOOKUP_MILLISECONDS = 6000;
/** Questions to one server at least, so that a lost packet is not a lost answer. */
const MIN_ATTEMPTS = 3;
/** Look-ups with a socket open at once; more wait for their turn. */
const MAX_OPEN = 200;

/** The system's resolvers. */
export function systemServers(): ServerAddress[] {
  return getServers().flatMap((server) => {
    const written = /^\[(.+)\]:(\d+)$/.exec(server) ?? /^([^:]+):(\d+)$/.exec(server);
    const address = written?.[1] ?? server;
    return isIP(address) === 0 ? [] : [{ address, port: Number(written?.[2] ?? 53) }];
  });
}

/** Makes a Dns that asks recursive resolvers over UDP and TCP, shares equal questions and keeps answers. */
export function createResolver(options: ResolverOptions): Dns {
  const { servers, clock } = options;
  const retryMilliseconds = options.retryMilliseconds ?? RETRY_MILLISECONDS;
  const lookupMilliseconds = options.lookupMilliseconds ?? LOOKUP_MILLISECONDS;
  const cache = createDnsCache(clock, options.cache);
  const inFlight = new Map<string, Promise<AnyAnswer>>();
  const turn = turnstile(MAX_OPEN);

  async function find(name: string, type: RecordType, lookup: LookupOptions): Promise<Keepable> {
    const { dnssec = false, checkingDisabled = false } = lookup;
    const end = performance.now() + lookupMilliseconds;
    return resolve(name, type, dnssec, async (owner) => {
      const wireName = encodeName(owner);
      if (wireName === undefined) return { failure: 'invalid-name', evidence: { milliseconds: 0 } };
      const question = { wireName, type, dnssec, checkingDisabled };
      return turn(() => askServers(servers, question, end - performance.now(), retryMilliseconds));
    });
  }

  return {
    async lookup<T extends RecordType>(name: string, type: T, lookup: LookupOptions = {}) {
      const wireName = encodeName(name);
      if (wireName === undefined) {
        return { status: 'unavailable', reason: 'invalid-name', evidence: { milliseconds: 0 } };
      }
      const asked = readName(wireName, 0).name;
      const key = `${type} ${lookup.dnssec === true} ${lookup.checkingDisabled === true} ${asked}`;
      const kept = lookup.fresh === true ? undefined : cache.get(key);
      if (kept !== undefined) return kept as Answer<RecordData[T]>;

      // A fresh look-up must not share a question that was sent before it was asked.
      let pending = lookup.fresh === true ? undefined : inFlight.get(key);
      if (pending === undefined) {
        const askedAt = clock.now().getTime();
        const mine = find(asked, type, lookup)
          .then((keepable) => {
            cache.put(key, keepable, askedAt);
            return keepable.answer;
          })
          .finally(() => {
            if (inFlight.get(key) === mine) inFlight.delete(key);
          });
        inFlight.set(key, mine);
        pending = mine;
      }
      return (await pending) as Answer<RecordData[T]>;
    },
  };
}

/**
 * Puts one question to the servers until one answers or the time is over. A silent server goes on being listened
 * to while the next is asked, so that a slow answer still counts. Where all fail, the failure that says most is told.
 */
function askServers(
  servers: readonly ServerAddress[],
  question: Question,
  milliseconds: number,
  retryMilliseconds: number,
): Promise<Reply> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const attempts = Array.from(
    { length: Math.max(MIN_ATTEMPTS, servers.length) },
    (_, i) => servers[i % servers.length],
  );
  const ended = new AbortController();

  async function ask(server: ServerAddress): Promise<Reply> {
    const from = writeServer(server);
    try {
      const bytes = await exchange(server, question, ended.signal);
      const message = decodeMessage(bytes);
      const evidence = messageEvidence(from, message, elapsed());
      const failure = messageFailure(message);
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
      ended.abort();
      resolveReply(reply);
    };
    const startNext = () => {
      clearTimeout(retry);
      const server = attempts.find((candidate) => candidate !== undefined && !failed.has(candidate));
      if (server === undefined) {
        if (open === 0)
          finish(mostTelling(failures) ?? { failure: 'unreachable', evidence: { milliseconds: 0 } });
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
    const end = setTimeout(() => {
      const silent = servers[0] === undefined ? {} : { server: writeServer(servers[0]) };
      finish(
        mostTelling(failures) ?? { failure: 'timeout', evidence: { ...silent, milliseconds: elapsed() } },
      );
    }, milliseconds);
    startNext();
  });
}

function messageEvidence(server: string, { rcode, extendedError }: Message, milliseconds: number) {
  return { server, rcode, ...(extendedError === undefined ? {} : { extendedError }), milliseconds };
}

function failureOf(error: unknown): TransportFailure {
  if (error instanceof TransportError) return error.reason;
  return error instanceof MalformedMessage ? 'malformed' : 'unreachable';
}

/** What a server said counts more than silence, and silence more than nobody there. */
const telling = ['server-failure', 'refused', 'malformed', 'timeout', 'unreachable'];

function mostTelling(failures: readonly FailedReply[]): FailedReply | undefined {
  return failures.toSorted((a, b) => telling.indexOf(a.failure) - telling.indexOf(b.failure))[0];
}
