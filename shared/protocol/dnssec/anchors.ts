/** Trust anchors: DS data of the zones at which every chain of trust starts (RFC 4033 section 2). */
import type { DsRecord } from '../dns.ts';
import { canonicalName, isLookupName, isWithin } from '../domain-name.ts';

export interface TrustAnchor {
  /** The zone of the anchor; the empty string is the root. */
  readonly zone: string;
  readonly ds: DsRecord;
}

type ParsedTrustAnchors =
  | { readonly ok: true; readonly anchors: readonly TrustAnchor[] }
  /** The entry that cannot be parsed, as written. */
  | { readonly ok: false; readonly entry: string };

/** Digest length in octets by digest type (RFC 4034 section 5.1.4, RFC 4509, RFC 6605). */
const digestLengths: Readonly<Record<number, number>> = { 1: 20, 2: 32, 4: 48 };

/** IANA's root anchors: KSK-2017 and KSK-2024 (https://data.iana.org/root-anchors/root-anchors.xml). */
export const rootAnchors: readonly TrustAnchor[] = [
  rootAnchor(20326, 'E06D44B80B8F1D39A95C0B0D7C65D08458E880409BBC683457104237C7F8EC8D'),
  rootAnchor(38696, '683D2D0ACB8C9B712A1948B27F741219298D0A450D612C483AF444A4C0FB2B16'),
];

/**
 * Parses DS records in presentation format (RFC 4034 section 5.3), separated by `;`:
 * `. IN DS 20326 8 2 E06D...; test. IN DS 4711 13 2 ABCD...`. A TTL and spaces inside the digest are allowed.
 */
export function parseTrustAnchors(text: string): ParsedTrustAnchors {
  const entries = text.split(';').map((entry) => entry.trim());
  const anchors: TrustAnchor[] = [];
  for (const entry of entries.filter((it) => it !== '')) {
    const anchor = parseEntry(entry);
    if (anchor === undefined) return { ok: false, entry };
    anchors.push(anchor);
  }
  return anchors.length === 0 ? { ok: false, entry: text } : { ok: true, anchors };
}

/** Prints anchors in the format that `parseTrustAnchors` parses. */
export function printTrustAnchors(anchors: readonly TrustAnchor[]): string {
  return anchors
    .map(({ zone, ds }) =>
      [
        `${zone}.`,
        'IN DS',
        ds.keyTag,
        ds.algorithm,
        ds.digestType,
        Buffer.from(ds.digest).toString('hex'),
      ].join(' '),
    )
    .join(';');
}

/** The anchors of `name` or of its closest ancestor that has any; empty if there are none. */
export function nearestAnchors(anchors: readonly TrustAnchor[], name: string): readonly TrustAnchor[] {
  const covering = anchors.filter(({ zone }) => zone === '' || isWithin(name, zone));
  const longest = covering.reduce((length, { zone }) => Math.max(length, zone.length), 0);
  return covering.filter(({ zone }) => zone.length === longest);
}

function parseEntry(entry: string): TrustAnchor | undefined {
  const fields = entry.split(/\s+/);
  const at = fields.findIndex((field) => field.toUpperCase() === 'DS');
  const [owner = '', ...between] = fields.slice(0, Math.max(at, 0));
  const [keyTag, algorithm, digestType, ...hex] = fields.slice(at + 1);
  const zone = canonicalName(owner);
  if (owner === '' || (zone !== '' && !isLookupName(zone))) return undefined;
  if (!/^(\d{1,10} ?)?(IN)?$/i.test(between.join(' '))) return undefined;
  const numbers = [number(keyTag, 0xffff), number(algorithm, 0xff), number(digestType, 0xff)] as const;
  if (numbers[0] === undefined || numbers[1] === undefined || numbers[2] === undefined) return undefined;
  const digest = hex.join('');
  if (!/^([0-9a-f]{2})+$/i.test(digest) || digest.length / 2 !== digestLengths[numbers[2]]) return undefined;
  return {
    zone,
    ds: {
      keyTag: numbers[0],
      algorithm: numbers[1],
      digestType: numbers[2],
      digest: Uint8Array.from(Buffer.from(digest, 'hex')),
    },
  };
}

function number(text: string | undefined, max: number): number | undefined {
  const value = text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : undefined;
}

function rootAnchor(keyTag: number, sha256: string): TrustAnchor {
  return {
    zone: '',
    ds: { keyTag, algorithm: 8, digestType: 2, digest: Uint8Array.from(Buffer.from(sha256, 'hex')) },
  };
}
