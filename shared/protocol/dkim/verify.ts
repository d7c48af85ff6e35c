/**
 * The DKIM signatures of a message, each with its verdict (RFC 6376, RFC 8301, RFC 8463). mailauth does the
 * canonicalization and the cryptography in its strict mode. This file adds limits, so that a hostile message takes
 * seconds at most, and the cases that mailauth accepts but should not.
 */
import type { Dns } from '../dns.ts';
import type { HeaderSection } from '../message/header-section.ts';
import { keyLookups } from './key-lookups.ts';
import { verifyStated } from './library.ts';
import { MAX_SIGNATURE_OCTETS, readSignature, type Stated } from './signature.ts';
import { judged, notChecked, type Signature } from './verdict.ts';

interface DkimVerification {
  /** From the top of the message. */
  readonly signatures: readonly Signature[];
  /** Signatures beyond those listed. */
  readonly more: number;
}

/** RFC 6376 section 6.1 allows a verifier to limit the number of signatures. */
const MAX_SIGNATURES = 20;
const MAX_SIGNED_FIELDS = 200;
/** The total over all ways in which the signatures hash the body. The slowest body takes 0.2 s per megabyte. */
const MAX_HASHED_OCTETS = 25 * 1024 * 1024;
/** The time of the library grows with the square of these numbers. Real header sections are far below them. */
const MAX_FIELDS = 25_000;
const MAX_LINES_OF_FIELD = 500;
const MAX_BLANKS = 1000;
/** Longer `From` fields are not legitimate. */
const MAX_FROM_OCTETS = 65_536;

/** Verifies at most MAX_SIGNATURES signatures as of `now`. Never throws. */
export async function verifySignatures(
  message: Uint8Array,
  section: HeaderSection,
  dns: Dns,
  now: Date,
): Promise<DkimVerification> {
  const fields = section.fields.filter(({ name }) => name === 'dkim-signature');
  const listed = fields.slice(0, MAX_SIGNATURES).map(readSignature);
  const checked = withinLimits(listed, message.length - section.bodyStart, section);
  const keys = keyLookups(dns, checked);
  for (const { name } of checked) void keys.lookup(name);
  const results = checked.length === 0 ? [] : await verifyStated(message, section, checked, keys, { now });
  const authors = section.fields.filter(({ name }) => name === 'from').length;
  const verdicts = listed.map(async (signature) => {
    const result = results[checked.indexOf(signature)];
    return result === undefined
      ? notChecked(signature)
      : judged(signature, result, await keys.keysOf(signature.name), authors, now);
  });
  // Changed whitespace can break a copy, so a copy with a different verdict is not a duplicate.
  const seen = new Set<string>();
  const signatures = (await Promise.all(verdicts)).map((verdict, at) => {
    const known = `${verdict.verdict} ${listed[at]?.identity}`;
    const duplicate = seen.has(known);
    seen.add(known);
    return { ...verdict, duplicate };
  });
  return { signatures, more: fields.length - listed.length };
}

/** The signatures within the limits. Each new way of hashing the body costs the length of the body. */
function withinLimits(signatures: readonly Stated[], bodyOctets: number, section: HeaderSection): Stated[] {
  if (signatures.length === 0 || !isTame(section)) return [];
  const hashings = new Set<string>();
  return signatures.filter(({ field, signedFields, bodyHashing }) => {
    if (field.raw.length >= MAX_SIGNATURE_OCTETS || signedFields.length > MAX_SIGNED_FIELDS) return false;
    if (!hashings.has(bodyHashing) && (hashings.size + 1) * bodyOctets > MAX_HASHED_OCTETS) return false;
    hashings.add(bodyHashing);
    return true;
  });
}

/** Whether the library can parse the header section in reasonable time. */
function isTame({ fields, complete }: HeaderSection): boolean {
  if (!complete || fields.length > MAX_FIELDS) return false;
  return fields.every(({ name, raw }) => {
    if (name === 'from' && raw.length > MAX_FROM_OCTETS) return false;
    if (raw.split('\n', MAX_LINES_OF_FIELD + 1).length > MAX_LINES_OF_FIELD) return false;
    // The library reads octets in one place and UTF-8, which has more whitespace characters, in another.
    return !hasLongBlank(raw) && !hasLongBlank(Buffer.from(raw, 'latin1').toString('utf8'));
  });
}

function hasLongBlank(text: string): boolean {
  if (text.length <= MAX_BLANKS) return false;
  for (const [run] of text.matchAll(/\s+/g)) if (run.length > MAX_BLANKS) return true;
  return false;
}
