/**
 * Turns a server's messages into the answer of a lookup: follows CNAMEs and distinguishes absent from unavailable.
 */
import type { DnsEvidence, RecordSet, RecordType, RrsigRecord, Unavailable } from '../protocol/dns.ts';
import { MalformedMessage } from '../protocol/wire-name.ts';
import type { Keepable } from './dns-cache.ts';
import { readRecord, readRrsig } from './dns-rdata.ts';
import type { Message, WireRecord } from './dns-wire.ts';

/** The number of CNAMEs followed per lookup, as in Unbound; common resolvers stop between 8 and 16. */
export const MAX_ALIASES = 11;

/** The sets of the authority section that prove what does not exist (RFC 4035 section 3.1.3, RFC 5155 section 7.2). */
const provesAbsence: ReadonlySet<string> = new Set(['NSEC', 'NSEC3']);

/** The result of one query: a parsed message, or why there is none. */
export type Reply =
  | { readonly message: Message; readonly octets: number; readonly evidence: DnsEvidence }
  | FailedReply;

export interface FailedReply {
  readonly failure: Unavailable['reason'];
  readonly evidence: DnsEvidence;
}

/** Queries the servers for one name. */
export type Ask = (name: string) => Promise<Reply>;

/** Why a message is not an answer to a question about `name` (lower-case) and `type`; undefined if it is one. */
export function messageFailure(
  message: Message,
  { name, type }: Pick<WireRecord, 'name' | 'type'>,
): Unavailable['reason'] | undefined {
  if (message.rcode === 'REFUSED') return 'refused';
  if (message.rcode !== 'NOERROR' && message.rcode !== 'NXDOMAIN') return 'server-failure';
  if (message.answers.length > 0)
    return message.answers.some((one) => one.name === name && (one.type === type || one.type === 'CNAME'))
      ? undefined
      : 'malformed';
  // A server that neither has the zone nor recurses knows nothing about what exists.
  if (!message.authoritative && !message.recursive) return 'server-failure';
  // A referral (RFC 2308 section 2.2): the server names other servers although it was asked to recurse.
  const authority = message.authorities.map(({ type }) => type);
  const referral =
    message.rcode === 'NOERROR' &&
    !message.authoritative &&
    authority.includes('NS') &&
    !authority.includes('SOA');
  return referral ? 'server-failure' : undefined;
}

/**
 * Looks up `type` at `name` with as many queries as its chain of CNAMEs needs (RFC 1034 section 3.6.2). A chain that
 * loops or is too long is `malformed`. Servers rotate the records of a set, so they are sorted canonically (RFC 4034
 * section 6.3).
 */
export async function resolve(name: string, type: RecordType, dnssec: boolean, ask: Ask): Promise<Keepable> {
  const aliases: string[] = [];
  const sets: RecordSet[] = [];
  let owner = name;
  let ttl = Number.POSITIVE_INFINITY;
  let octets = 0;
  let milliseconds = 0;

  for (;;) {
    const reply = await ask(owner);
    milliseconds += reply.evidence.milliseconds;
    const evidence = { ...reply.evidence, milliseconds };
    if ('failure' in reply) return unavailable(reply.failure, evidence);
    const { message } = reply;
    octets += reply.octets;
    const queried = owner;
    const section = message.answers.toSorted((a, b) => Buffer.compare(a.rdata, b.rdata));
    try {
      if (dnssec) sets.push(...evidenceIn(message, section, type));
      for (;;) {
        const records = section.filter((record) => record.name === owner && record.type === type);
        ttl = Math.min(ttl, ...records.map((record) => record.ttl));
        if (records.length > 0) {
          const data = records.map((record) => readRecord(type, record.rdata));
          const answer = { records: data, name: owner, aliases, ttl, sets, evidence };
          return { answer: { status: 'found', ...answer }, seconds: ttl, octets };
        }
        const [alias, ...others] = section.filter(
          (record) => record.name === owner && record.type === 'CNAME',
        );
        if (alias === undefined) break;
        aliases.push(owner);
        owner = readRecord('CNAME', alias.rdata);
        ttl = Math.min(ttl, alias.ttl);
        const loops = aliases.includes(owner) || aliases.length > MAX_ALIASES;
        if (others.length > 0 || loops) return unavailable('malformed', evidence);
      }
    } catch (error) {
      if (error instanceof MalformedMessage) return unavailable('malformed', evidence);
      throw error;
    }
    const soa = message.authorities.find((record) => record.type === 'SOA');
    // The server knows the alias but not whether its target exists, so query the target.
    if (message.rcode === 'NOERROR' && owner !== queried && soa === undefined) continue;
    const reason = message.rcode === 'NXDOMAIN' ? 'no-name' : 'no-data';
    return {
      answer: {
        status: 'absent',
        reason,
        aliases,
        ...(dnssec && { denial: { name: owner, type, sets } }),
        evidence,
      },
      seconds: soa === undefined ? 0 : Math.min(ttl, negativeTtl(soa)),
      octets,
    };
  }
}

function unavailable(reason: Unavailable['reason'], evidence: DnsEvidence): Keepable {
  return { answer: { status: 'unavailable', reason, evidence }, seconds: 0, octets: 0 };
}

/** RFC 2308 section 5: the smaller of the SOA's TTL and its MINIMUM field. */
function negativeTtl(soa: WireRecord): number {
  try {
    return Math.min(soa.ttl, readRecord('SOA', soa.rdata).minimum);
  } catch {
    return 0;
  }
}

/**
 * The sets of a message that validation needs. Servers add others, which nobody requested: they decide nothing (RFC 2181
 * section 5.4.1).
 */
function evidenceIn(message: Message, section: readonly WireRecord[], type: RecordType): RecordSet[] {
  const answers = new Set<string>([type, 'CNAME', 'DNAME', 'RRSIG']);
  const isNegative = !section.some((it) => it.type === type);
  const authorities = message.authorities.filter(
    (it) => it.type === 'RRSIG' || provesAbsence.has(it.type) || (it.type === 'SOA' && isNegative),
  );
  return [...recordSets(section.filter((it) => answers.has(it.type))), ...recordSets(authorities)];
}

/** The sets of a section, each with the signatures that cover it. Malformed signatures are skipped. */
export function recordSets(section: readonly WireRecord[]): RecordSet[] {
  const others = section.filter(({ type }) => type !== 'RRSIG');
  const sets = Map.groupBy(others, ({ type, name }) => `${type} ${name}`);
  const signatures = Map.groupBy(
    section.filter(({ type }) => type === 'RRSIG').flatMap(readSignature),
    ({ owner, signature }) => `${signature.typeCovered} ${owner}`,
  );
  return [...sets].flatMap(([key, records]) => {
    const [first] = records;
    if (first === undefined) return [];
    return {
      name: first.name,
      type: first.type,
      ttl: Math.min(...records.map((record) => record.ttl)),
      rdata: records.map((record) => record.rdata),
      signatures: (signatures.get(key) ?? []).map(({ signature }) => signature),
    };
  });
}

function readSignature(record: WireRecord): { owner: string; signature: RrsigRecord }[] {
  try {
    return [{ owner: record.name, signature: readRrsig(record.rdata) }];
  } catch {
    return [];
  }
}
