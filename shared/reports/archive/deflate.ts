/**
 * zlib files (RFC 1950) and raw DEFLATE data (RFC 1951). Neither has a signature, and plain text can have a valid zlib
 * header. Detection therefore decompresses the first bytes.
 */
import { constants, createInflate, createInflateRaw, inflateRawSync } from 'node:zlib';
import type { UnpackBudget } from '../budget.ts';
import type { Warnings } from '../warnings.ts';
import { inflate } from './inflate.ts';

const HEADER = 2;
/**
 * The number of bytes to try. A block header (RFC 1951 section 3.2.7) has less than 300 bytes, so some data follows.
 */
const START_BYTES = 512;

/** Whether the bytes start with a zlib header without a preset dictionary (RFC 1950 section 2.2). */
function hasHeader([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x8f) === 8 && (method * 256 + flags) % 31 === 0 && (flags & 0x20) === 0;
}

/** Compressed reports have other bytes within these. Most parts of mails are text, and a failed attempt costs much more. */
const TEXT_BYTES = 64;
const isText = (bytes: Uint8Array): boolean =>
  bytes
    .subarray(0, TEXT_BYTES)
    .every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d));

/** The first bytes, decompressed; empty if they are not compressed this way. */
export function deflatedStart(bytes: Uint8Array): Uint8Array {
  if (isText(bytes)) return new Uint8Array();
  const start = bytes.subarray(hasHeader(bytes) ? HEADER : 0, START_BYTES);
  try {
    // The output is at most a thousand times as large: half a megabyte.
    return inflateRawSync(start, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, START_BYTES);
  } catch {
    return new Uint8Array();
  }
}

/** Decompresses a whole file. Throws a refusal if it is corrupt or truncated. */
export async function* undeflate(
  bytes: Uint8Array,
  budget: UnpackBudget,
  warnings: Warnings,
): AsyncGenerator<Uint8Array> {
  const { consumed } = yield* inflate(bytes, budget, hasHeader(bytes) ? createInflate : createInflateRaw);
  const trailing = bytes.length - consumed;
  if (trailing > 0) warnings.add('trailing-bytes', undefined, `${trailing} bytes`);
}
