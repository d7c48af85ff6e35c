/**
 * Encodes keys as bytes that sort in DynamoDB's order: numbers by value, strings by UTF-8, binaries by bytes. No
 * encoded value is a prefix of another, so values can be concatenated: partition key, sort key and, in an index, the
 * key of the item.
 */
import type { AttributeValue } from './attribute-value.ts';
import { type Decimal, parseDecimal } from './decimal.ts';
import { InvalidRequest } from './errors.ts';

/** Encodes a scalar. Throws `InvalidRequest` for types without an order. */
export function encode(value: AttributeValue): Buffer {
  if ('N' in value) return encodeDecimal(parseDecimal(value.N));
  return Buffer.concat([encodeBeginning(value), END]);
}

/** The common prefix of the encodings of all values that begin with this string or binary. */
export function encodeBeginning(value: AttributeValue): Buffer {
  if ('S' in value) return escapeZeros(Buffer.from(value.S));
  if ('B' in value) return escapeZeros(Buffer.from(value.B, 'base64'));
  throw new InvalidRequest('Only strings, numbers and binaries are ordered');
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
  if (('N' in left && 'N' in right) || ('B' in left && 'B' in right)) {
    return Buffer.compare(encode(left), encode(right));
  }
  return undefined;
}

/** A zero byte inside a value becomes 00 ff. 00 00 ends a value and sorts before every continuation. */
const END = Buffer.from([0, 0]);

function escapeZeros(octets: Buffer): Buffer {
  if (!octets.includes(0)) return octets;
  return Buffer.from([...octets].flatMap((octet) => (octet === 0 ? [0, 0xff] : [octet])));
}

const NEGATIVE = 1;
const ZERO = 2;
const POSITIVE = 3;
/** The least exponent, -130, becomes byte 0; the greatest, 125, becomes byte 255. */
const EXPONENT_BIAS = 130;

/**
 * Sign, exponent, then two digits per byte (1 to 100), ended by 0; for negative numbers, everything after the sign is
 * inverted.
 */
function encodeDecimal({ negative, digits, exponent }: Decimal): Buffer {
  if (digits === '') return Buffer.from([ZERO]);
  const magnitude = [exponent + EXPONENT_BIAS];
  for (let at = 0; at < digits.length; at += 2) {
    magnitude.push(Number(digits.slice(at, at + 2).padEnd(2, '0')) + 1);
  }
  magnitude.push(0);
  return Buffer.from(
    negative ? [NEGATIVE, ...magnitude.map((octet) => 255 - octet)] : [POSITIVE, ...magnitude],
  );
}
