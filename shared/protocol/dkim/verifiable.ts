/**
 * What of a message may be verified at all. The time that mailauth takes grows with the square of the length of a
 * header field, of a line and of a run of white space, so these are bounded far above what mail programs write.
 */
import { headerSection, unfolded } from '../message/header-section.ts';

/** RFC 6376 section 6.1 lets verifiers limit what they try; nobody in earnest signs more often. */
const MAX_SIGNATURES = 20;
const MAX_HEADER_BYTES = 65_536;
/** RFC 5322 section 2.1.1 allows 998. */
const MAX_LINE_BYTES = 262_144;
const MAX_WHITE_SPACE = 1_000;

const [LF, CR] = [0x0a, 0x0d];

/** The message with every line ended by CR LF; undefined where it is beyond the bounds. */
export function verifiable(message: Uint8Array): Buffer | undefined {
  const section = headerSection(message.subarray(0, MAX_HEADER_BYTES + 4));
  if (section.length > MAX_HEADER_BYTES) return undefined;
  const signatures = unfolded(section).filter((field) => /^dkim-signature ?:/i.test(field));
  const runs = section.match(/\s+/g) ?? [];
  if (signatures.length > MAX_SIGNATURES || runs.some(({ length }) => length > MAX_WHITE_SPACE))
    return undefined;
  return withLineEnds(message);
}

/** A line feed alone ends a line as well: mail that was stored in a file has those. */
function withLineEnds(message: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  let bare = 0;
  for (let begin = 0, at = bytes.indexOf(LF); ; begin = at + 1, at = bytes.indexOf(LF, begin)) {
    if ((at < 0 ? bytes.length : at) - begin > MAX_LINE_BYTES) return undefined;
    if (at < 0) break;
    if (bytes[at - 1] !== CR) bare += 1;
  }
  if (bare === 0) return bytes;
  const ended = Buffer.alloc(bytes.length + bare);
  let to = 0;
  for (let from = 0; from < bytes.length; from += 1) {
    const byte = bytes[from] as number;
    if (byte === LF && bytes[from - 1] !== CR) ended[to++] = CR;
    ended[to++] = byte;
  }
  return ended;
}
