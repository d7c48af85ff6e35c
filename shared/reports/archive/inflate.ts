/**
 * DEFLATE data (RFC 1951), decompressed chunk by chunk, and the files that are little more:
 * - gzip files (RFC 1952): consecutive members; bytes after the last one are tolerated. Real reporters send such bytes, but
 *   node:zlib either rejects them or does not detect truncated files.
 * - zlib files (RFC 1950) and raw DEFLATE data. Neither has a signature, and plain text can have a valid zlib header. Detection
 *   therefore decompresses the first bytes.
 */
import { constants, crc32, createInflate, createInflateRaw, inflateRawSync, inflateSync } from 'node:zlib';
import type { UnpackBudget } from '../budget.ts';
import { unreadable } from '../refusal.ts';
import type { Warnings } from '../warnings.ts';

const CHUNK_BYTES = 32768;

/** The result, known after the last chunk. */
interface Inflated {
  /** The number of input bytes that belong to the data. */
  readonly consumed: number;
  readonly length: number;
  readonly crc: number;
}

/**
 * Decompresses the data at the start of `bytes` and ignores what follows. Throws a refusal if the data is corrupt or
 * truncated. With `createInflate`, the data has the header and checksum of zlib (RFC 1950).
 */
export async function* inflate(
  bytes: Uint8Array,
  budget: UnpackBudget,
  createInflater: typeof createInflateRaw | typeof createInflate = createInflateRaw,
): AsyncGenerator<Uint8Array, Inflated> {
  budget.startPiece();
  const small = inflatedAtOnce(bytes, createInflater === createInflateRaw ? inflateRawSync : inflateSync);
  if (small !== undefined) {
    const { buffer, engine } = small;
    budget.spend(buffer.length);
    yield buffer;
    return { consumed: engine.bytesWritten, length: buffer.length, crc: crc32(buffer) };
  }
  const inflater = createInflater({ chunkSize: CHUNK_BYTES });
  inflater.end(bytes);
  let length = 0;
  let crc = 0;
  try {
    for await (const chunk of inflater as AsyncIterable<Uint8Array>) {
      budget.spend(chunk.length);
      length += chunk.length;
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (fault) {
    const code = String(Object(fault).code);
    if (code === 'Z_BUF_ERROR') throw unreadable('the compressed data is truncated');
    if (code.startsWith('Z_')) throw unreadable('the compressed data is corrupt');
    throw fault;
  }
  return { consumed: inflater.bytesWritten, length, crc };
}

interface InflatedAtOnce {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The result if it fits into one chunk, as most reports do: a stream takes several times as long. Undefined if it does
 * not fit or cannot be decompressed; then the stream says why.
 */
function inflatedAtOnce(
  bytes: Uint8Array,
  inflateNow: typeof inflateRawSync | typeof inflateSync,
): InflatedAtOnce | undefined {
  if (bytes.length > CHUNK_BYTES) return undefined;
  try {
    const limits = { chunkSize: CHUNK_BYTES, maxOutputLength: CHUNK_BYTES };
    // The types of Node do not describe what the option `info` returns.
    return inflateNow(bytes, { ...limits, info: true }) as unknown as InflatedAtOnce;
  } catch {
    return undefined;
  }
}

/** Section 2.3.1: flags of a member. */
const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;
const FIXED_HEADER = 10;
const TRAILER = 8;

/** Whether a member starts here. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses a whole file. Throws a refusal if it is corrupt or truncated. */
export async function* gunzip(
  bytes: Uint8Array,
  budget: UnpackBudget,
  warnings: Warnings,
): AsyncGenerator<Uint8Array> {
  let rest = bytes;
  do {
    const data = rest.subarray(headerLength(rest));
    const { consumed, length, crc } = yield* inflate(data, budget);
    const trailer = data.subarray(consumed, consumed + TRAILER);
    if (trailer.length < TRAILER) throw cut();
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    if (view.getUint32(0, true) !== crc || view.getUint32(4, true) !== length % 2 ** 32) {
      throw unreadable('the gzip file is corrupt: its checksum does not match');
    }
    rest = data.subarray(consumed + TRAILER);
  } while (isGzip(rest));
  if (rest.length > 0) warnings.add('trailing-bytes', undefined, `${rest.length} bytes`);
}

const cut = () => unreadable('the gzip file is truncated');

function headerLength(bytes: Uint8Array): number {
  const flags = bytes[3];
  if (bytes.length < FIXED_HEADER || flags === undefined) throw cut();
  if (bytes[2] !== 8) throw unreadable('the gzip file uses an unsupported compression method');
  let at = FIXED_HEADER;
  if (flags & FLAG.extra) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const text of [FLAG.name, FLAG.comment]) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) throw cut();
    at = end + 1;
  }
  if (flags & FLAG.headerCrc) at += 2;
  if (at > bytes.length) throw cut();
  return at;
}

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
