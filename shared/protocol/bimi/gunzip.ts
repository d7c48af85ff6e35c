/** Decompresses logos (SVGZ) within a limit. */
import { gunzipSync } from 'node:zlib';

/** Whether `bytes` start like a gzip member (RFC 1952 section 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses a gzip file; undefined if it is broken or larger than `limit` octets when decompressed. */
export function gunzip(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch {
    return undefined;
  }
}
