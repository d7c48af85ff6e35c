/**
 * What a check run asked of the network and what it was answered, as plain JSON. Octets that are mostly text are that text after
 * `text:`, a character for each octet, which people can read and which compresses well; others are in base64. Times are in ISO 8601,
 * and certificates are named by their SHA-256, so that each one is kept once.
 */
import * as z from 'zod/mini';
import type { RecordData, RecordSet, RecordType, RrsigRecord } from '../../protocol/dns.ts';
import { count, list, text, texts, timestamp } from '../../protocol/schema.ts';
import { servedHosts } from '../../protocol/served-chain.ts';
import { publishedKeys } from '../dkim/history.ts';

/** As JSON. More is not worth keeping: a usual domain has 50,000, and what has more is a hostile one. */
export const MAX_RECORDING_CHARACTERS = 1_500_000;

const TEXT = 'text:';

const octets = z.pipe(
  z.string().check(z.regex(/^(?:text:[\0-\xff]*|[A-Za-z0-9+/]*={0,2})$/)),
  z.transform((encoded) =>
    Uint8Array.from(
      encoded.startsWith(TEXT)
        ? Buffer.from(encoded.slice(TEXT.length), 'latin1')
        : Buffer.from(encoded, 'base64'),
    ),
  ),
);

/** Octets of which at least four fifths are printable. */
function isText(content: Uint8Array): boolean {
  const printable = content.filter((octet) => (octet >= 0x20 && octet < 0x7f) || octet === 0x0a);
  return printable.length * 5 >= content.length * 4;
}

function writeOctets(content: Uint8Array): string {
  const buffer = Buffer.from(content);
  return isText(content) ? `${TEXT}${buffer.toString('latin1')}` : buffer.toString('base64');
}

const unsigned = (octetCount: number) => z.int().check(z.minimum(0), z.maximum(2 ** (8 * octetCount) - 1));

/** SHA-256 of a certificate in DER, in hexadecimal. */
const certificateHash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const signature: z.ZodMiniType<RrsigRecord> = z.object({
  typeCovered: text,
  algorithm: unsigned(1),
  labels: unsigned(1),
  originalTtl: unsigned(4),
  expiration: unsigned(4),
  inception: unsigned(4),
  keyTag: unsigned(2),
  signerName: text,
  signature: octets,
});

const recordSet: z.ZodMiniType<RecordSet> = z.object({
  name: text,
  type: text,
  ttl: count,
  rdata: list(octets),
  signatures: list(signature),
});

export const ds = z.object({
  keyTag: unsigned(2),
  algorithm: unsigned(1),
  digestType: unsigned(1),
  digest: octets,
});
const dnskey = z.object({ flags: unsigned(2), algorithm: unsigned(1), key: octets });

/** The data of records by type. */
export const recordData: { readonly [T in RecordType]: z.ZodMiniType<RecordData[T]> } = {
  A: text,
  AAAA: text,
  CNAME: text,
  NS: text,
  PTR: text,
  MX: z.object({ preference: unsigned(2), exchange: text }),
  TXT: text,
  SOA: z.object({ mname: text, rname: text, serial: unsigned(4), minimum: unsigned(4) }),
  TLSA: z.object({
    usage: unsigned(1),
    selector: unsigned(1),
    matchingType: unsigned(1),
    certificate: octets,
  }),
  DS: ds,
  DNSKEY: dnskey,
  CDS: ds,
  CDNSKEY: dnskey,
  CAA: z.object({ flags: unsigned(1), tag: text, value: text }),
};

const recordType = z.enum(Object.keys(recordData) as [RecordType, ...RecordType[]]);

/** Where an answer came from. */
const from = { server: z.exactOptional(text), extendedError: z.exactOptional(text) };

const dnsAnswer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('found'),
    /** The data of the records. Absent if it is in the record set of that name and type. */
    records: z.exactOptional(list(z.unknown())),
    /** The end of the chain of aliases; absent without aliases. */
    name: z.exactOptional(text),
    aliases: z.exactOptional(texts),
    ttl: count,
    sets: z.exactOptional(list(recordSet)),
    ...from,
  }),
  z.object({
    status: z.literal('absent'),
    reason: z.enum(['no-name', 'no-data', 'invalid-name']),
    aliases: z.exactOptional(texts),
    /** What proves it: the name without records of this type, and the sets. */
    denial: z.exactOptional(z.object({ name: text, sets: list(recordSet) })),
    ...from,
  }),
  z.object({
    status: z.literal('unavailable'),
    reason: z.enum([
      ...(['timeout', 'server-failure', 'refused', 'malformed', 'unreachable'] as const),
      ...(['deadline', 'lookup-limit', 'contradicted'] as const),
    ]),
    ...from,
  }),
]);

const lookup = z.object({
  name: text,
  type: recordType,
  /** Signatures were requested (DO bit). */
  dnssec: z.exactOptional(z.literal(true)),
  /** No validation by the resolver was requested (CD bit). */
  checkingDisabled: z.exactOptional(z.literal(true)),
  answer: dnsAnswer,
});

export type RecordedLookup = z.infer<typeof lookup>;

const certificate = z.object({
  validFrom: timestamp,
  validTo: timestamp,
  /** As sent, leaf first. */
  chain: list(certificateHash),
  trusted: z.boolean(),
  untrustedReason: z.exactOptional(text),
  matchesName: z.boolean(),
});

export type RecordedCertificate = z.infer<typeof certificate>;

const webEvidence = z.object({ url: text, address: z.exactOptional(text) });

const webAnswer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('found'),
    httpStatus: count,
    headers: z.record(z.string(), z.string()),
    body: octets,
    certificate,
    evidence: webEvidence,
  }),
  z.object({ status: z.literal('absent'), reason: z.literal('no-address'), evidence: webEvidence }),
  z.object({
    status: z.literal('rejected'),
    reason: z.enum(['certificate', 'tls', 'redirect', 'too-large', 'address-not-public', 'invalid-url']),
    detail: text,
    certificate: z.exactOptional(certificate),
    evidence: webEvidence,
  }),
  z.object({
    status: z.literal('unavailable'),
    reason: z.enum([
      ...(['timeout', 'connection', 'name-resolution', 'malformed', 'deadline', 'connection-limit'] as const),
    ]),
    detail: text,
    evidence: webEvidence,
  }),
]);

export type RecordedWebAnswer = z.infer<typeof webAnswer>;

const smtpEvidence = z.object({ reply: z.exactOptional(text) });

const smtpAnswer = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('found'),
    starttls: z.discriminatedUnion('status', [
      z.object({ status: z.literal('not-offered') }),
      z.object({ status: z.literal('failed'), reason: z.enum(['reply', 'handshake']), detail: text }),
      z.object({ status: z.literal('established'), protocol: text, cipher: text, certificate }),
    ]),
    recipient: z.enum(['accepted', 'rejected', 'deferred', 'not-asked']),
    evidence: smtpEvidence,
  }),
  z.object({
    status: z.literal('rejected'),
    reason: z.enum(['greeting', 'ehlo', 'address-not-public']),
    detail: text,
    evidence: smtpEvidence,
  }),
  z.object({
    status: z.literal('unavailable'),
    reason: z.enum([
      ...(['timeout', 'connection-refused', 'unreachable', 'closed', 'deferred', 'malformed'] as const),
      ...(['deadline', 'not-dialled', 'connection-limit'] as const),
    ]),
    detail: text,
    evidence: smtpEvidence,
  }),
]);

export type RecordedSmtpAnswer = z.infer<typeof smtpAnswer>;

const authorityAnswer = z.discriminatedUnion('status', [
  z.object({ status: z.literal('found'), records: list(z.unknown()) }),
  z.object({ status: z.literal('alias'), target: text }),
  z.object({ status: z.literal('absent') }),
  z.object({
    status: z.literal('unavailable'),
    detail: text,
    notServed: z.exactOptional(text),
    delegatesTo: z.exactOptional(texts),
  }),
]);

/** Questions to the network, with their answers. */
export const recordedAnswers = z.object({
  dns: list(lookup),
  https: list(z.object({ url: text, answer: webAnswer })),
  smtp: list(
    z.object({
      hostname: text,
      address: text,
      /** The certificates that were trusted instead of public authorities. */
      trustAnchors: z.exactOptional(list(certificateHash)),
      answer: smtpAnswer,
    }),
  ),
  /** Absent if no name server was asked itself. */
  authorities: z.exactOptional(
    list(z.object({ server: text, name: text, type: recordType, answer: authorityAnswer })),
  ),
});

export type RecordedAnswers = z.infer<typeof recordedAnswers>;

const messages = z.object({
  passed: count,
  failed: count,
  last: text,
  lastPassed: z.exactOptional(text),
});

/** What is known beside the network about DKIM keys. */
const dkimHistory = z.object({
  keys: publishedKeys,
  uses: list(z.object({ selector: text, lastSeen: text, lastProven: z.exactOptional(text) })),
  isPartial: z.boolean(),
  usedDays: count,
  /** What reports said about selectors, if it was asked. */
  reportedUse: z.exactOptional(
    z.object({ selectors: list(z.tuple([text, messages])), isReporting: z.boolean() }),
  ),
  /** Other domains of the organization with the same keys, if it was asked. */
  elsewhere: z.exactOptional(list(z.tuple([text, texts]))),
});

/** What a check run knew beside the answers of the network. */
export const recordedQuestion = z.object({
  domain: text,
  testEmailLocalPart: z.nullable(text),
  dkimSelectors: z.exactOptional(texts),
  knownSelectors: texts,
  reportMailbox: z.exactOptional(text),
  /** What the MX hosts with TLSA records served before. */
  servedChains: z.exactOptional(servedHosts),
  dkimHistory: z.exactOptional(dkimHistory),
});

/** A check run that can be repeated without a network. */
export const recording = z.object({
  /** When the run started and when it ended. */
  startedAt: timestamp,
  endedAt: timestamp,
  question: recordedQuestion,
  /** The label of names that nobody can guess, which prove wildcards. */
  label: text,
  trust: z.object({
    /** DNSSEC trust anchors. */
    dnssec: list(z.object({ zone: text, ds })),
    /** Roots of mark certificates; absent if none was served. */
    marks: z.exactOptional(list(certificateHash)),
    /** Zones whose signatures the resolver was known to strip. */
    stripped: z.exactOptional(texts),
  }),
  answers: recordedAnswers,
});

export type Recording = z.infer<typeof recording>;

/** A recording before it is parsed: plain JSON. */
export type RecordingJson = z.input<typeof recording>;

/** Certificates in DER by their SHA-256. */
export type Certificates = ReadonlyMap<string, Uint8Array>;

/** A value as plain JSON, as the schemas above read it. */
export function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return writeOctets(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return toJson([...value]);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, content]) => content !== undefined);
  return Object.fromEntries(entries.map(([key, content]) => [key, toJson(content)]));
}
