/** Compressed logos (SVGZ), unpacked within a limit. */
import { gunzipSync } from 'node:zlib';

/** Whether `bytes` begin as a gzip member does (RFC 1952 section 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Unpacks a gzip file; undefined where it is broken or unpacks to more than `limit` octets. */
export function gunzip(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch {
    return undefined;
  }
}
