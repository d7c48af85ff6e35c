/** mailauth, which does the canonicalization and the cryptography of DKIM, in its strict mode. */
import { Readable } from 'node:stream';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { Answer } from '../dns.ts';
import { canonicalName } from '../domain-name.ts';
import type { HeaderSection } from '../message/header-section.ts';
import type { KeyLookups } from './key-lookups.ts';
import type { Stated } from './signature.ts';

/** RFC 8301 section 3.2. */
const MIN_RSA_BITS = 1024;

/** The time limit of the library. The largest messages need half of it, and key lookups end earlier. */
const VERIFICATION_MILLISECONDS = 8_000;

/** The fields of an ARC set (RFC 8617 section 4.1). Signatures of DKIM name the last one least. */
const ARC_SET = ['arc-authentication-results', 'arc-seal', 'arc-message-signature'];

/** The result of mailauth for one signature. */
export type Result = Awaited<ReturnType<typeof dkimVerify>>['results'][number];

/**
 * Verifies `checked`, the signatures of the message in their order. The results are in the same order; if the library
 * fails or exceeds its time limit, there are none. Each key is looked up once.
 */
export async function verifyStated(
  message: Uint8Array,
  section: HeaderSection,
  checked: readonly Stated[],
  keys: KeyLookups,
  { now, milliseconds = VERIFICATION_MILLISECONDS }: { now: Date; milliseconds?: number },
): Promise<readonly Result[]> {
  const resolver = async (name: string) => {
    const answer = await keys.lookup(canonicalName(name));
    if (answer.status === 'found') return answer.records.map((text) => [text]);
    throw Object.assign(new Error(answer.reason), { code: nodeCode(answer) });
  };
  const input = inOnePiece(message, section, checked);
  const options = { resolver, strict: true, minBitLength: MIN_RSA_BITS, curTime: now };
  let timer: NodeJS.Timeout | undefined;
  const overtime = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(reject, milliseconds);
  });
  try {
    const { results } = await Promise.race([dkimVerify(input, options), overtime]);
    return results;
  } catch {
    // A failure of the library itself: nothing is known about these signatures.
    return [];
  } finally {
    clearTimeout(timer);
    input.destroy();
  }
}

/** The library knows two kinds of failures: that there is no key, and all others. */
const nodeCode = ({ status }: Exclude<Answer<string>, { status: 'found' }>): string =>
  status === 'absent' ? 'ENOTFOUND' : 'ESERVFAIL';

/**
 * The message as input for the library: without skipped signatures and invalid header lines, with the ARC fields that are
 * signed, but not with all three of a set (the library would verify it, too, without a limit), and with CRLF line endings.
 * The body is a single chunk, because the library rereads a line with each chunk of it.
 */
function inOnePiece(message: Uint8Array, section: HeaderSection, checked: readonly Stated[]) {
  const kept = new Set(checked.map(({ field }) => field));
  const signed = new Set(checked.flatMap(({ signedFields }) => signedFields));
  const incomplete = ARC_SET.filter((name) => signed.has(name)).slice(0, ARC_SET.length - 1);
  const lines = section.fields.filter((field) => {
    if (field.name === '') return false;
    if (field.name === 'dkim-signature') return kept.has(field);
    return !ARC_SET.includes(field.name) || incomplete.includes(field.name);
  });
  const header = Buffer.from(`${lines.map(({ raw }) => raw).join('\r\n')}\r\n\r\n`, 'latin1');
  const stated = withCrlf(message.subarray(section.bodyStart));
  // The library needs 0.2 s per megabyte to relax lines that end in blanks. Relaxed lines it only hashes.
  const body = checked.every(({ bodyIsRelaxed }) => bodyIsRelaxed) ? withRelaxedLines(stated) : stated;
  return Readable.from([header, ...(body.length > 0 ? [body] : [])], { objectMode: false });
}

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * Removes blanks at line ends and reduces other runs of blanks to one space (RFC 6376 section 3.4.4 a). The relaxed
 * canonicalization of the result equals that of `body`, whose line endings are CRLF.
 */
function withRelaxedLines(body: Uint8Array): Uint8Array {
  const relaxed = Buffer.allocUnsafe(body.length);
  let to = 0;
  let afterBlank = false;
  for (let at = 0; at < body.length; at += 1) {
    const octet = body[at] as number;
    if (octet === SPACE || octet === TAB) {
      afterBlank = true;
      continue;
    }
    if (afterBlank && !(octet === CR && body[at + 1] === LF)) relaxed[to++] = SPACE;
    afterBlank = false;
    relaxed[to++] = octet;
  }
  return relaxed.subarray(0, to);
}

/** Replaces bare line feeds with CRLF. Returns the same octets if there are none. */
function withCrlf(octets: Uint8Array): Uint8Array {
  if (!hasBareLineFeed(octets)) return octets;
  const fixed = Buffer.allocUnsafe(octets.length * 2);
  let to = 0;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    if (octet === LF && octets[at - 1] !== CR) fixed[to++] = CR;
    fixed[to++] = octet;
  }
  return fixed.subarray(0, to);
}

function hasBareLineFeed(octets: Uint8Array): boolean {
  let at = octets.indexOf(LF);
  while (at > 0 && octets[at - 1] === CR) at = octets.indexOf(LF, at + 1);
  return at !== -1;
}
