/**
 * A fake Dns, defined by a zone literal:
 * `zone({ 'example.org': { MX: [[10, 'mx.example.org']] }, 'broken.example.org': 'SERVFAIL' })`.
 *
 * Unlisted names do not exist (`no-name`), unless a listed name is below them; unlisted types are `no-data`. CNAMEs are
 * followed, and `*.` names match according to RFC 4592. There is no cache.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type {
  Answer,
  CaaRecord,
  Dns,
  DnskeyRecord,
  DsRecord,
  Found,
  LookupOptions,
  RecordData,
  RecordType,
  SoaRecord,
  TlsaRecord,
  Unavailable,
} from '../../shared/protocol/dns.ts';
import { canonicalName, isLookupName } from '../../shared/protocol/domain-name.ts';

export type Failure = 'SERVFAIL' | 'TIMEOUT' | 'REFUSED';

/** The records of one name: values by type, in their shortest form. A failure can replace any type. */
export interface ZoneNode {
  readonly A?: readonly string[] | Failure;
  readonly AAAA?: readonly string[] | Failure;
  readonly CNAME?: readonly string[] | Failure;
  readonly NS?: readonly string[] | Failure;
  readonly PTR?: readonly string[] | Failure;
  /** Preference and exchange; the exchange of a null MX is `.` or the empty string. */
  readonly MX?: readonly (readonly [preference: number, exchange: string])[] | Failure;
  /** One string per record, or an array of its character-strings. */
  readonly TXT?: readonly (string | readonly string[])[] | Failure;
  readonly SOA?: readonly SoaRecord[] | Failure;
  readonly TLSA?: readonly TlsaRecord[] | Failure;
  readonly DS?: readonly DsRecord[] | Failure;
  readonly DNSKEY?: readonly DnskeyRecord[] | Failure;
  readonly CDS?: readonly DsRecord[] | Failure;
  readonly CDNSKEY?: readonly DnskeyRecord[] | Failure;
  readonly CAA?: readonly CaaRecord[] | Failure;
}

/** Names (case-insensitive, `.` is the root) and their records, or the failure that every query for the name gets. */
export type ZoneLiteral = Readonly<Record<string, ZoneNode | Failure>>;

interface ZoneOptions {
  /** How long every query takes, which shows which ones are concurrent; 0 by default. */
  readonly delayMilliseconds?: number;
}

interface ZoneDns extends Dns {
  /** Every query in order, as `example.org TXT`. */
  readonly questions: readonly string[];
  /** The highest number of concurrent queries. */
  readonly mostAtOnce: number;
}

const SERVER = '192.0.2.53:53';
const TTL = 300;

const failureReasons = {
  SERVFAIL: 'server-failure',
  TIMEOUT: 'timeout',
  REFUSED: 'refused',
} as const satisfies Record<Failure, Unavailable['reason']>;

/** Creates the fake. The options apply to every response. */
export function zone(literal: ZoneLiteral, options: ZoneOptions = {}): ZoneDns {
  const names = indexZone(literal);
  const questions: string[] = [];
  const { delayMilliseconds = 0 } = options;

  function answer<T extends RecordType>(queried: string, type: T): Answer<RecordData[T]> {
    const aliases: string[] = [];
    let name = queried;
    for (;;) {
      const held = names.at(name);
      if (held === 'no-name') {
        const evidence = { server: SERVER, rcode: 'NXDOMAIN', milliseconds: 0 };
        return { status: 'absent', reason: 'no-name', aliases, evidence };
      }
      if (typeof held === 'string') return unavailable(held);
      const values = type === 'CNAME' ? held.CNAME : (held[type] ?? held.CNAME);
      if (typeof values === 'string') return unavailable(values);
      const evidence = { server: SERVER, rcode: 'NOERROR', milliseconds: 0 };
      if (values === undefined || values.length === 0) {
        return { status: 'absent', reason: 'no-data', aliases, evidence };
      }
      if (values !== held[type]) {
        aliases.push(name);
        name = canonicalName(String(values[0]));
        if (aliases.includes(name)) return unavailable('SERVFAIL');
        continue;
      }
      return {
        status: 'found',
        records: recordsOf(type, held),
        name,
        aliases,
        ttl: TTL,
        sets: [],
        evidence,
      } satisfies Found<RecordData[T]>;
    }
  }

  let [waiting, mostAtOnce] = [0, 0];
  return {
    questions,
    get mostAtOnce() {
      return mostAtOnce;
    },
    async lookup<T extends RecordType>(name: string, type: T, _options?: LookupOptions) {
      const queried = canonicalName(name);
      questions.push(`${queried} ${type}`);
      mostAtOnce = Math.max(mostAtOnce, ++waiting);
      if (delayMilliseconds > 0) await pause(delayMilliseconds);
      waiting -= 1;
      if (queried !== '' && !isLookupName(queried)) {
        return { status: 'absent', reason: 'invalid-name', aliases: [], evidence: { milliseconds: 0 } };
      }
      return answer(queried, type);
    },
  };
}

/** A Dns whose failures carry this extended DNS error (RFC 8914). */
export function withExtendedError(dns: Dns, extendedError: string): Dns {
  return {
    async lookup(name, type, options) {
      const answer = await dns.lookup(name, type, options);
      if (answer.status !== 'unavailable') return answer;
      return { ...answer, evidence: { ...answer.evidence, extendedError } };
    },
  };
}

/** The names of a literal as a server sees them: the records of a name, its failure, or that it does not exist. */
export function indexZone(literal: ZoneLiteral): { at(name: string): ZoneNode | Failure | 'no-name' } {
  const held = new Map<string, ZoneNode | Failure>();
  for (const [name, node] of Object.entries(literal)) held.set(canonicalName(name), node);
  for (const name of [...held.keys()]) {
    for (let above = parent(name); above !== ''; above = parent(above)) {
      if (!held.has(above)) held.set(above, {});
    }
  }
  return {
    at(name) {
      const exact = held.get(name);
      if (exact !== undefined) return exact;
      let encloser = parent(name);
      while (encloser !== '' && !held.has(encloser)) encloser = parent(encloser);
      return held.get(encloser === '' ? '*' : `*.${encloser}`) ?? 'no-name';
    },
  };
}

/** The records of one type as responses carry them, in the same order however they are listed. */
export function recordsOf<T extends RecordType>(type: T, node: ZoneNode): RecordData[T][] {
  const values = node[type];
  if (values === undefined || typeof values === 'string') return [];
  const records = values.map((value) => record(type, value) as RecordData[T]);
  return records.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function record(type: RecordType, value: unknown): unknown {
  switch (type) {
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return canonicalName(value as string);
    case 'MX': {
      const [preference, exchange] = value as readonly [number, string];
      return { preference, exchange: canonicalName(exchange) };
    }
    case 'TXT':
      return typeof value === 'string' ? value : (value as readonly string[]).join('');
    default:
      return value;
  }
}

function parent(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

function unavailable(failure: Failure): Unavailable {
  const evidence =
    failure === 'TIMEOUT' ? { milliseconds: 0 } : { server: SERVER, rcode: failure, milliseconds: 0 };
  return { status: 'unavailable', reason: failureReasons[failure], evidence };
}
