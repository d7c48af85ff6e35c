/**
 * Encodes keys, which are strings, as bytes that sort in DynamoDB's order: by UTF-8. No encoded value is a prefix of
 * another, so values can be concatenated: partition key, sort key and, in an index, the key of the item.
 */
import type { AttributeValue } from './attribute-value.ts';
import { compareDecimals, parseDecimal } from './decimal.ts';

export const encode = (text: string): Buffer => Buffer.concat([encodeBeginning(text), END]);

/** The common prefix of the encodings of all strings that begin with this one. */
export function encodeBeginning(text: string): Buffer {
  const octets = Buffer.from(text);
  if (!octets.includes(0)) return octets;
  return Buffer.from([...octets].flatMap((octet) => (octet === 0 ? [0, 0xff] : [octet])));
}

/**
 * The least key after all keys that begin with `prefix`, which is at least a whole partition key and so never all 0xff.
 */
export function behind(prefix: Buffer): Buffer {
  let length = prefix.length;
  while (prefix[length - 1] === 0xff) length -= 1;
  const bound = Buffer.from(prefix.subarray(0, length));
  bound[length - 1] = (bound[length - 1] ?? 0) + 1;
  return bound;
}

/** Negative, zero or positive; undefined for values of different types or types without an order. */
export function compareValues(left: AttributeValue, right: AttributeValue): number | undefined {
  if ('S' in left && 'S' in right) return Buffer.compare(Buffer.from(left.S), Buffer.from(right.S));
  if ('N' in left && 'N' in right) return compareDecimals(parseDecimal(left.N), parseDecimal(right.N));
  if ('B' in left && 'B' in right) {
    return Buffer.compare(Buffer.from(left.B, 'base64'), Buffer.from(right.B, 'base64'));
  }
  return undefined;
}

/** A zero byte inside a value becomes 00 ff. 00 00 ends a value and sorts before every continuation. */
const END = Buffer.from([0, 0]);
