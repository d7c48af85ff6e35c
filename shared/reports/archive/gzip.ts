/**
 * gzip files (RFC 1952): consecutive members; bytes after the last one are tolerated. Real reporters send such bytes, but
 * node:zlib either rejects them or does not detect truncated files.
 */
import type { UnpackBudget } from '../budget.ts';
import { unreadable } from '../refusal.ts';
import type { Warnings } from '../warnings.ts';
import { inflate } from './inflate.ts';

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
