/**
 * What a mail host serves over time: the keys and dates of its certificates, in a bounded history per address, and since when its
 * TLSA records have been there. Only what a later run compares is kept, so that an item with the history of ten addresses stays small.
 */
import { createHash, X509Certificate } from 'node:crypto';
// Before the first `toLegacyObject`, which loads half of this module: the rest would be missing for all who load it later.
import 'node:tls';
import * as z from 'zod/mini';
import type { Lifetime } from './certificate-lifetime.ts';
import type { TlsaRecord } from './dns.ts';
import { excerpt } from './findings/excerpt.ts';
import { DAY_MILLISECONDS } from './time.ts';
import { isDescribedBy } from './tlsa.ts';

const digest = z.string();

/** A certificate above the leaf, as the host sent it. */
const servedIssuer = z.object({
  organization: z.nullable(z.string()),
  /** Common name. */
  name: z.nullable(z.string()),
  /** SHA-256 of its public key (SubjectPublicKeyInfo), and of the whole certificate, in base64url. */
  key: digest,
  certificate: digest,
  /** ISO 8601. */
  to: z.string(),
});

export type ServedIssuer = z.infer<typeof servedIssuer>;

const servedChain = z.object({
  /** As for an issuer. */
  key: digest,
  certificate: digest,
  /** The validity of the leaf; ISO 8601. */
  from: z.string(),
  to: z.string(),
  /** The first and the last check run that saw it; ISO 8601. */
  first: z.string(),
  last: z.string(),
  /** From the one that issued the leaf upwards. */
  issuers: z.readonly(z.array(servedIssuer)),
  /**
   * Since when the TLSA record was there that was published for it, and that matched when it was first served; ISO 8601. Null if no
   * record matched. Absent if a record matched that is for earlier certificates, too, and if nothing is known.
   */
  recordedSince: z.optional(z.nullable(z.string())),
});

export type ServedChain = Readonly<z.infer<typeof servedChain>>;

const servedHost = z.object({
  host: z.string(),
  address: z.string(),
  /** By when they were issued, the latest last. */
  chains: z.readonly(z.array(servedChain)),
  /** The TLSA records of the host, each by a digest, since when check runs have seen it (ISO 8601), and whether it ever matched. */
  records: z.optional(
    z.readonly(z.array(z.object({ record: digest, since: z.string(), hasMatched: z.boolean() }))),
  ),
});

export const servedHosts = z.readonly(z.array(servedHost));

export type ServedHosts = Readonly<z.infer<typeof servedHosts>>;

/** The history of one address. */
export type ServedHistory = Pick<Readonly<z.infer<typeof servedHost>>, 'chains' | 'records'>;

/** A certificate with its chain, leaf first, in DER. */
export interface ShownChain extends Lifetime {
  readonly chain: readonly Uint8Array[];
}

/** Three renewals show a practice. */
const MAX_CHAINS = 4;
const MAX_ISSUERS = 3;
/** Those for the present and the next certificate, of two types of keys. */
const MAX_RECORDS = 8;
/** As many as a check run probes, and those of hosts that were replaced. */
const MAX_ADDRESSES = 20;
/** Longer than the certificates of public authorities are valid. */
const FORGET_MILLISECONDS = 400 * DAY_MILLISECONDS;

/** Undefined if a certificate of the chain cannot be read. */
export function readChain({ validFrom, validTo, chain }: ShownChain, now: Date): ServedChain | undefined {
  try {
    const [leaf, ...above] = chain.slice(0, MAX_ISSUERS + 1).map((der) => new X509Certificate(der));
    if (leaf === undefined) return undefined;
    const seen = now.toISOString();
    return {
      ...hashesOf(leaf),
      from: validFrom.toISOString(),
      to: validTo.toISOString(),
      first: seen,
      last: seen,
      issuers: above.map((certificate) => {
        const { O: organization, CN: name } = certificate.toLegacyObject().subject;
        return {
          organization: firstOf(organization),
          name: firstOf(name),
          ...hashesOf(certificate),
          to: certificate.validToDate.toISOString(),
        };
      }),
    };
  } catch {
    // A stranger's certificate with a key or a date that OpenSSL does not read.
    return undefined;
  }
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');

function hashesOf(certificate: X509Certificate) {
  return {
    key: sha256(certificate.publicKey.export({ type: 'spki', format: 'der' })),
    certificate: sha256(certificate.raw),
  };
}

function firstOf(values: unknown): string | null {
  const [first] = [values].flat();
  return typeof first === 'string' && first !== '' ? excerpt(first) : null;
}

/** The history of an address with one more observation. */
export function withChain(before: readonly ServedChain[], seen: ServedChain): readonly ServedChain[] {
  const known = before.find(({ certificate }) => certificate === seen.certificate);
  const others = before.filter((one) => one !== known);
  const merged =
    known === undefined
      ? seen
      : { ...known, first: earlier(known.first, seen.first), last: later(known.last, seen.last) };
  return [...others, merged].toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from)).slice(-MAX_CHAINS);
}

const earlier = (a: string, b: string): string => (a < b ? a : b);
const later = (a: string, b: string): string => (a > b ? a : b);

/** What a record is called in a history. */
export const recordDigest = ({ usage, selector, matchingType, certificate }: TlsaRecord): string =>
  sha256(Buffer.concat([Uint8Array.of(usage, selector, matchingType), certificate]));

/**
 * The history of an address with one more observation.
 * @param records The TLSA records of the host that senders use; undefined if they are not known.
 */
export function withShown(
  before: ServedHistory,
  shown: ShownChain,
  records: readonly TlsaRecord[] | undefined,
  now: Date,
): ServedHistory {
  const seen = readChain(shown, now);
  if (seen === undefined) return before;
  if (records === undefined) return { ...before, chains: withChain(before.chains, seen) };
  const known = records
    .map((record) => {
      const name = recordDigest(record);
      const old = before.records?.find((one) => one.record === name);
      const { since = seen.first, hasMatched = false } = old ?? {};
      return { record: name, since, hasMatched, matches: isDescribedBy([record], shown.chain) };
    })
    // DNS has no order.
    .toSorted((a, b) => compare(a.since, b.since) || compare(a.record, b.record));
  const matching = known.filter(({ matches }) => matches);
  const published = matching.find(({ hasMatched }) => !hasMatched);
  const recordedSince = published?.since ?? (matching.length === 0 ? null : undefined);
  return {
    chains: withChain(before.chains, { ...seen, ...(recordedSince !== undefined && { recordedSince }) }),
    // Of those that match nothing, the newest are for the next certificate.
    records: [...known.filter(({ matches }) => !matches), ...matching]
      .slice(-MAX_RECORDS)
      .map(({ matches, hasMatched, ...one }) => ({ ...one, hasMatched: hasMatched || matches })),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

interface Observed {
  readonly host: string;
  readonly address: string;
  readonly shown: ShownChain;
  /** As for `withShown`. */
  readonly records: readonly TlsaRecord[] | undefined;
}

/** The history of all addresses of a domain with the observations of a check run, those that were seen last first. */
export function withObserved(before: ServedHosts, observed: readonly Observed[], now: Date): ServedHosts {
  const hosts = new Map(before.map((one) => [`${one.host} ${one.address}`, one]));
  for (const { host, address, shown, records } of observed) {
    const key = `${host} ${address}`;
    const history = withShown(hosts.get(key) ?? nothingServed, shown, records, now);
    if (history.chains.length > 0) hosts.set(key, { host, address, ...history });
  }
  const lastSeen = ({ chains }: ServedHosts[number]) =>
    Math.max(...chains.map(({ last }) => Date.parse(last)));
  return [...hosts.values()]
    .filter((one) => now.getTime() - lastSeen(one) < FORGET_MILLISECONDS)
    .toSorted((a, b) => lastSeen(b) - lastSeen(a))
    .slice(0, MAX_ADDRESSES);
}

export const nothingServed: ServedHistory = { chains: [] };

/** The history of one address. */
export const historyOf = (all: ServedHosts, host: string, address: string): ServedHistory =>
  all.find((one) => one.host === host && one.address === address) ?? nothingServed;
