/** Decompresses DEFLATE data (RFC 1951) chunk by chunk. */
import { crc32, type createInflate, createInflateRaw, inflateRawSync, inflateSync } from 'node:zlib';
import type { UnpackBudget } from '../budget.ts';
import { unreadable } from '../refusal.ts';

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
    const code = typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : undefined;
    if (code === 'Z_BUF_ERROR') throw unreadable('the compressed data is truncated');
    if (typeof code === 'string' && code.startsWith('Z_')) throw unreadable('the compressed data is corrupt');
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
    const result: unknown = inflateNow(bytes, {
      chunkSize: CHUNK_BYTES,
      maxOutputLength: CHUNK_BYTES,
      info: true,
    });
    return hasEngine(result) ? result : undefined;
  } catch {
    return undefined;
  }
}

/** The types of Node do not describe what the option `info` returns. */
const hasEngine = (result: unknown): result is InflatedAtOnce =>
  typeof result === 'object' && result !== null && 'engine' in result;
