/**
 * The DKIM signatures of a message, each with its verdict (RFC 6376, RFC 8301, RFC 8463). mailauth does the
 * canonicalization and the cryptography in its strict mode; around it stand the limits that keep a hostile message
 * from taking more than seconds, and the cases that it lets pass.
 */
import type { Dns } from '../dns.ts';
import type { HeaderSection } from '../message/header-section.ts';
import { keyLookups } from './key-lookups.ts';
import { verifyStated } from './library.ts';
import { MAX_SIGNATURE_OCTETS, readSignature, type Stated } from './signature.ts';
import { judged, notChecked, type Signature } from './verdict.ts';

export interface DkimVerification {
  /** From the top of the message. */
  readonly signatures: readonly Signature[];
  /** Signatures beyond those listed. */
  readonly more: number;
}

/** RFC 6376 section 6.1 lets a verifier limit how many signatures it tries. */
const MAX_SIGNATURES = 20;
const MAX_SIGNED_FIELDS = 200;
/** Over all the ways in which signatures want the body hashed: the slowest body takes 0.2 s for each megabyte. */
const MAX_HASHED_OCTETS = 25 * 1024 * 1024;
/** The library's time grows with the square of these, which real header sections stay far below. */
const MAX_FIELDS = 25_000;
const MAX_LINES_OF_FIELD = 500;
const MAX_BLANKS = 1000;
/** Longer `From` fields are none of a person. */
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
  const results = checked.length === 0 ? [] : await verifyStated(message, section, checked, keys, now);
  const authors = section.fields.filter(({ name }) => name === 'from').length;
  const verdicts = listed.map(async (signature) => {
    const result = results[checked.indexOf(signature)];
    return result === undefined
      ? notChecked(signature)
      : judged(signature, result, await keys.keysOf(signature.name), authors, now);
  });
  // Blanks may be what breaks a copy, so that one of another verdict is told for itself.
  const seen = new Set<string>();
  const signatures = (await Promise.all(verdicts)).map((verdict, at) => {
    const known = `${verdict.verdict} ${listed[at]?.identity}`;
    const duplicate = seen.has(known);
    seen.add(known);
    return { ...verdict, duplicate };
  });
  return { signatures, more: fields.length - listed.length };
}

/** The signatures that are worth their time; each new way of hashing the body costs the body's length. */
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

/** Whether the library reads the header section in time. */
function isTame({ fields, complete }: HeaderSection): boolean {
  if (!complete || fields.length > MAX_FIELDS) return false;
  return fields.every(({ name, raw }) => {
    if (name === 'from' && raw.length > MAX_FROM_OCTETS) return false;
    if (raw.split('\n', MAX_LINES_OF_FIELD + 1).length > MAX_LINES_OF_FIELD) return false;
    // The library reads octets in one place and UTF-8, with blanks of its own, in another.
    return !hasLongBlank(raw) && !hasLongBlank(Buffer.from(raw, 'latin1').toString('utf8'));
  });
}

function hasLongBlank(text: string): boolean {
  if (text.length <= MAX_BLANKS) return false;
  for (const [run] of text.matchAll(/\s+/g)) if (run.length > MAX_BLANKS) return true;
  return false;
}
