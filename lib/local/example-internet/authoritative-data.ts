/** The records of the example internet's zones, and the answers of their server (RFC 1034 section 4.3.2). */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from 'dns-packet';
import type { Clock } from '../../../shared/network/ports.ts';
import { parentName } from '../../../shared/protocol/dnssec/canonical.ts';
import { canonicalName, isWithin } from '../../../shared/protocol/domain-name.ts';
import { gapsFor } from './denial.ts';
import type { PublishedRecord } from './published-records.ts';
import { createZoneSigner } from './sign.ts';
import { fails, mailHosts, type Node, nameServer, records, topZone, webHosts, zones } from './zone-data.ts';

interface AuthoritativeReply {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL';
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
}

export interface AuthoritativeData {
  /** The answer to a query, signed if `dnssec` is set; undefined for names outside the zones. */
  answer(name: string, type: string, dnssec: boolean): AuthoritativeReply | undefined;
  has(record: PublishedRecord): boolean;
  /** The TXT records of a name. */
  textsAt(name: string): readonly PublishedRecord[];
  /** Adds a record to those of the zones. */
  add(record: PublishedRecord): void;
  remove(record: PublishedRecord): void;
  /** The DS of the top zone in presentation form (RFC 4034 section 5.3). */
  readonly trustAnchors: string;
}

/** A zone without keys. It can hold wildcards, whose signatures `sign.ts` does not support. */
export interface UnsignedZone {
  readonly name: string;
  readonly records: Readonly<Record<string, Node>>;
}

type Data = Exclude<Answer, { type: 'OPT' }>['data'];
type AnswerType = Exclude<Answer['type'], 'OPT'>;

/** Of answers with and without records: short, so that the next check sees a change. */
const TTL_SECONDS = 2;
/** Bytes in one character-string (RFC 1035 section 3.3.14). */
const MAX_STRING = 255;

/** Loads the zones and those of `others`, makes keys for the former, and adds TLSA records by host name. */
export function createAuthoritativeData(
  clock: Clock,
  tlsa: ReadonlyMap<string, Uint8Array>,
  others: readonly UnsignedZone[] = [],
): AuthoritativeData {
  const top = createZoneSigner(topZone);
  const signers = new Map([[topZone, top]]);
  for (const { name, signed } of zones) if (signed) signers.set(name, createZoneSigner(name));
  const apexes = [topZone, ...[...zones, ...others].map(({ name }) => name)];
  const sets = new Map<string, Map<string, Data[]>>();
  let serial = Math.floor(clock.now().getTime() / 1000);

  function add(name: string, type: AnswerType, ...data: Data[]): void {
    for (let above = parentName(name); above !== '' && !sets.has(above); above = parentName(above)) {
      sets.set(above, new Map());
    }
    const node = sets.get(name) ?? new Map<string, Data[]>();
    sets.set(name, node.set(type, [...(node.get(type) ?? []), ...data]));
  }

  for (const apex of apexes) {
    const signer = signers.get(apex);
    add(apex, 'NS', nameServer.name);
    if (signer === undefined) continue;
    add(apex, 'DNSKEY', signer.dnskey);
    if (apex !== topZone) add(apex, 'DS', signer.ds);
  }
  for (const { name, address } of [nameServer, ...mailHosts, ...webHosts]) add(name, 'A', address);
  for (const held of [records, ...others.map((zone) => zone.records)]) {
    for (const [name, node] of Object.entries(held)) {
      for (const [type, values] of Object.entries(node) as [AnswerType, readonly Data[]][]) {
        const data = values.map((value) => (typeof value === 'string' ? dataOf({ type, value }) : value));
        if (data.length > 0) add(name, type, ...data);
      }
    }
  }
  for (const [host, digest] of tlsa) {
    const certificate = Buffer.from(digest);
    add(`_25._tcp.${host}`, 'TLSA', { usage: 3, selector: 1, matchingType: 1, certificate });
  }

  /** The records that answer for a name: its own, or those of the wildcard that covers it (RFC 4592 section 3.3). */
  function nodeOf(name: string): Map<string, Data[]> | undefined {
    let encloser = name;
    while (encloser !== '' && !sets.has(encloser)) encloser = parentName(encloser);
    return sets.get(encloser === name ? name : `*.${encloser}`);
  }

  function zoneOf(name: string): string | undefined {
    return apexes.filter((apex) => isWithin(name, apex)).toSorted((a, b) => b.length - a.length)[0];
  }

  function setOf(name: string, type: string, apex: string): Data[] | undefined {
    if (type !== 'SOA') return nodeOf(name)?.get(type);
    if (name !== apex) return undefined;
    const rname = `hostmaster.${topZone}`;
    const times = { refresh: 3600, retry: 600, expire: 86_400, minimum: TTL_SECONDS };
    return [{ mname: nameServer.name, rname, serial, ...times }];
  }

  function answersOf(name: string, type: AnswerType, data: readonly Data[], apex: string, dnssec: boolean) {
    const answers = data.map((it) => ({ name, type, ttl: TTL_SECONDS, data: it }) as Answer);
    const signer = dnssec ? signers.get(apex) : undefined;
    return signer === undefined ? answers : [...answers, signer.sign(answers, clock.now())];
  }

  /** The signed proof that `name` does not exist, or does not have the queried type. */
  function denialOf(name: string, apex: string): Answer[] {
    const isCut = (it: string) => it !== apex && apexes.includes(it);
    const names = [...sets.keys()].filter((it) => zoneOf(isCut(it) ? parentName(it) : it) === apex);
    return gapsFor(names, apex, name).flatMap(({ owner, next }) => {
      const held = [...(sets.get(owner)?.keys() ?? [])];
      const own = isCut(owner)
        ? held.filter((type) => type === 'NS' || type === 'DS')
        : held.filter((type) => type !== 'DS');
      const rrtypes = [...own, ...(owner === apex ? ['SOA'] : []), 'RRSIG', 'NSEC'];
      return answersOf(owner, 'NSEC', [{ nextDomain: next, rrtypes }], apex, true);
    });
  }

  const { keyTag, algorithm, digestType, digest } = top.ds;
  return {
    trustAnchors: `${topZone}. IN DS ${keyTag} ${algorithm} ${digestType} ${digest.toString('hex').toUpperCase()}`,

    answer(queried, type, dnssec) {
      const name = canonicalName(queried);
      // A DS record is on the parent's side of a zone cut (RFC 4035 section 3.1.4.1).
      const apex = (type === 'DS' ? zoneOf(parentName(name)) : undefined) ?? zoneOf(name);
      if (apex === undefined) return undefined;
      if (fails(name)) return { rcode: 'SERVFAIL', answers: [], authorities: [] };
      const data = setOf(name, type, apex);
      if (data !== undefined) {
        const answers = answersOf(name, type as AnswerType, data, apex, dnssec);
        return { rcode: 'NOERROR', answers, authorities: [] };
      }
      const soa = setOf(apex, 'SOA', apex) ?? [];
      return {
        rcode: nodeOf(name) === undefined ? 'NXDOMAIN' : 'NOERROR',
        answers: [],
        authorities: [
          ...answersOf(apex, 'SOA', soa, apex, dnssec),
          ...(dnssec && signers.has(apex) ? denialOf(name, apex) : []),
        ],
      };
    },

    has,

    textsAt: (name) =>
      (sets.get(name)?.get('TXT') ?? []).map((data) => {
        const value = Buffer.concat(data as Buffer[]).toString('utf8');
        return { name, type: 'TXT', value };
      }),

    add(record) {
      // A duplicate record would invalidate the signature of the set (RFC 4034 section 6.3).
      if (has(record)) return;
      add(record.name, record.type, dataOf(record));
      serial += 1;
    },

    remove(record) {
      const node = sets.get(record.name);
      const rest = node?.get(record.type)?.filter((data) => !isDeepStrictEqual(data, dataOf(record))) ?? [];
      if (rest.length > 0) node?.set(record.type, rest);
      else node?.delete(record.type);
      serial += 1;
    },
  };

  function has(record: PublishedRecord): boolean {
    const data = sets.get(record.name)?.get(record.type) ?? [];
    return data.some((one) => isDeepStrictEqual(one, dataOf(record)));
  }
}

function dataOf({ type, value }: { readonly type: string; readonly value: string }): Data {
  return type === 'TXT' ? characterStrings(value) : value;
}

function characterStrings(value: string): Buffer[] {
  const octets = Buffer.from(value);
  const count = Math.max(1, Math.ceil(octets.length / MAX_STRING));
  return Array.from({ length: count }, (_, index) =>
    octets.subarray(index * MAX_STRING, (index + 1) * MAX_STRING),
  );
}
