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

/** What mailauth says of one signature. */
export type Result = Awaited<ReturnType<typeof dkimVerify>>['results'][number];

/**
 * Verifies `checked`, signatures of the message in their order; the results are in the same order, and none at all where
 * the library fails. Each key is asked for once.
 */
export async function verifyStated(
  message: Uint8Array,
  section: HeaderSection,
  checked: readonly Stated[],
  keys: KeyLookups,
  now: Date,
): Promise<readonly Result[]> {
  const resolver = async (name: string) => {
    const answer = await keys.lookup(canonicalName(name));
    if (answer.status === 'found') return answer.records.map((text) => [text]);
    throw Object.assign(new Error(answer.reason), { code: nodeCode(answer) });
  };
  try {
    const { results } = await dkimVerify(inOnePiece(message, section, checked), {
      resolver,
      strict: true,
      minBitLength: MIN_RSA_BITS,
      curTime: now,
    });
    return results;
  } catch {
    // The library's own fault: nothing is known of these signatures then.
    return [];
  }
}

function nodeCode(answer: Exclude<Answer<string>, { status: 'found' }>): string {
  if (answer.status === 'absent') return answer.reason === 'no-name' ? 'ENOTFOUND' : 'ENODATA';
  if (answer.reason === 'invalid-name') return 'ENOTFOUND';
  return answer.reason === 'timeout' || answer.reason === 'deadline' ? 'ETIMEOUT' : 'ESERVFAIL';
}

/**
 * The message as the library is to see it: without the signatures that are left out and lines that are no fields,
 * without ARC where nothing signs it (its fields would be verified too, with no limit), with CRLF everywhere. The body
 * comes in one piece, since the library reads a line anew with each piece of it.
 */
function inOnePiece(message: Uint8Array, section: HeaderSection, checked: readonly Stated[]) {
  const kept = new Set(checked.map(({ field }) => field));
  const arcIsSigned = checked.some(({ signedFields }) =>
    signedFields.some((name) => name.startsWith('arc-')),
  );
  const lines = section.fields.filter((field) => {
    if (field.name === '') return false;
    if (field.name === 'dkim-signature') return kept.has(field);
    return !field.name.startsWith('arc-') || (arcIsSigned && field.name !== 'arc-message-signature');
  });
  const header = Buffer.from(`${lines.map(({ raw }) => raw).join('\r\n')}\r\n\r\n`, 'latin1');
  const body = withCrlf(message.subarray(section.bodyStart));
  return Readable.from([header, ...(body.length > 0 ? [body] : [])], { objectMode: false });
}

const [LF, CR] = [0x0a, 0x0d];

/** Bare line feeds as the line ends that they were meant to be; the same octets where there are none. */
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
