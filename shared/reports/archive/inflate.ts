/** DEFLATE data (RFC 1951) inside a larger file, unpacked chunk by chunk. */
import { crc32, createInflateRaw } from 'node:zlib';
import type { UnpackBudget } from '../budget.ts';
import { unreadable } from '../refusal.ts';

const CHUNK_BYTES = 32768;

/** What came out, known once the last chunk has been taken. */
export interface Inflated {
  /** Bytes of the input that belong to the data. */
  readonly consumed: number;
  readonly length: number;
  readonly crc: number;
}

/** Unpacks the data that begin at the start of `bytes`, whatever follows them. Throws a refusal where they are broken or end early. */
export async function* inflate(
  bytes: Uint8Array,
  budget: UnpackBudget,
): AsyncGenerator<Uint8Array, Inflated> {
  budget.startPiece();
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
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
    if (code === 'Z_BUF_ERROR') throw unreadable('the packed data are cut off');
    if (typeof code === 'string' && code.startsWith('Z_')) throw unreadable('the packed data are damaged');
    throw fault;
  }
  return { consumed: inflater.bytesWritten, length, crc };
}
