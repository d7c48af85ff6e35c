/**
 * The size of an item in bytes, which decides its limit, page sizes and capacity units (AWS, "DynamoDB item sizes and
 * formats").
 */
import type { AttributeValue, Item } from './attribute-value.ts';
import { parseDecimal } from './decimal.ts';

export function itemSize(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value),
    0,
  );
}

/** "3 bytes of overhead" per list or map, and one per element. */
const DOCUMENT_OVERHEAD = 3;

function valueSize(value: AttributeValue): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return numberSize(value.N);
  if ('B' in value) return Buffer.byteLength(value.B, 'base64');
  if ('BOOL' in value || 'NULL' in value) return 1;
  if ('L' in value) return value.L.reduce((sum, element) => sum + 1 + valueSize(element), DOCUMENT_OVERHEAD);
  return DOCUMENT_OVERHEAD + Object.keys(value.M).length + itemSize(value.M);
}

/**
 * One byte, one per two digits before and after the decimal point, and one for a minus sign. This is what AWS was
 * measured to count where its page says "approximately 1 byte per two significant digits + 1 byte".
 */
function numberSize(text: string): number {
  const { negative, digits, exponent } = parseDecimal(text);
  const whole = Math.min(digits.length, Math.max(0, exponent + 1));
  return 1 + Math.ceil(whole / 2) + Math.ceil((digits.length - whole) / 2) + (negative ? 1 : 0);
}
