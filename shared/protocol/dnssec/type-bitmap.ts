/** The types of records that exist at a name, as in NSEC and NSEC3 records (RFC 4034 section 4.1.2). */
import { recordTypeNumbers } from '../dns.ts';

export interface TypesAtName {
  has(type: string): boolean;
}

/** A window has at most 32 octets. */
const MAX_WINDOW = 32;

/** Parses type bit maps; `undefined` if they are malformed. */
export function readTypes(bitmaps: Uint8Array): TypesAtName | undefined {
  const windows = new Map<number, Uint8Array>();
  for (let at = 0; at < bitmaps.length; ) {
    const [window = 0, length = 0] = bitmaps.subarray(at, at + 2);
    const end = at + 2 + length;
    if (length === 0 || length > MAX_WINDOW || end > bitmaps.length) return undefined;
    windows.set(window, bitmaps.subarray(at + 2, end));
    at = end;
  }
  return {
    has(type) {
      const number = recordTypeNumbers[type] ?? 0;
      const octet = windows.get(number >> 8)?.[(number & 0xff) >> 3] ?? 0;
      return (octet & (0x80 >> (number & 7))) !== 0;
    },
  };
}

/** The name is a delegation, seen from the parent zone, which knows nothing about other types and names below it. */
export function isDelegation(types: TypesAtName): boolean {
  return types.has('NS') && !types.has('SOA');
}

/**
 * Whether the types at a name prove that it has no record of `type`. A CNAME would have been the answer. The parent
 * zone knows only the DS records at a zone cut, and the child zone everything else (RFC 6840 section 4.1, RFC 5155
 * sections 8.5 and 8.6).
 */
export function lacksType(types: TypesAtName, type: string, isRoot: boolean): boolean {
  if (types.has(type) || types.has('CNAME')) return false;
  return type === 'DS' ? isRoot || !types.has('SOA') : !isDelegation(types);
}
