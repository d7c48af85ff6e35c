/**
 * DynamoDB's numbers: zero, and decimals of up to 38 significant digits from 1E-130 to 9.99...E+125 of either sign
 * (AWS, "Supported data types and naming rules in Amazon DynamoDB"). Doubles would round them.
 */
import { InvalidRequest } from './errors.ts';

interface Decimal {
  readonly negative: boolean;
  /** Significant digits without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  /** The power of ten of the first digit: `12.5` is digits `125` with exponent 1. */
  readonly exponent: number;
}

const MAX_DIGITS = 38;
const MIN_EXPONENT = -130;
const MAX_EXPONENT = 125;
const OVERFLOW = 'Number overflow. Attempting to store a number with magnitude larger than supported range';

/** Reads a number as clients write it (`-12`, `.5`, `+1E-7`). Throws `InvalidRequest` for anything else. */
export function parseDecimal(text: string): Decimal {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  const [, sign, whole = '', fraction = '', power = '0'] = match ?? [];
  if (whole === '' && fraction === '') {
    throw new InvalidRequest(`The parameter cannot be converted to a numeric value: ${text}`);
  }
  const value = decimal(sign === '-', whole + fraction, whole.length - 1 + Number(power));
  if (value.digits.length > MAX_DIGITS) {
    throw new InvalidRequest('Attempting to store more than 38 significant digits in a Number');
  }
  return value;
}

/** The normal form of a number: no exponent, no superfluous zeros, a sign only if negative. */
export function formatDecimal({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0';
  const point = exponent + 1;
  const text =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : point >= digits.length
        ? digits.padEnd(point, '0')
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return negative ? `-${text}` : text;
}

/** The exact sum. Throws DynamoDB's overflow error if 38 digits cannot hold it. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const scale = Math.min(lastPlace(left), lastPlace(right));
  const sum = scaled(left, scale) + scaled(right, scale);
  const digits = (sum < 0n ? -sum : sum).toString();
  const result = decimal(sum < 0n, digits, digits.length - 1 + scale);
  if (result.digits.length > MAX_DIGITS) throw new InvalidRequest(OVERFLOW);
  return result;
}

/** Negative, zero or positive, as `left` is less than, equal to or greater than `right`. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  const scale = Math.min(lastPlace(left), lastPlace(right));
  const [one, other] = [scaled(left, scale), scaled(right, scale)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function decimal(negative: boolean, digits: string, exponent: number): Decimal {
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return { negative: false, digits: '', exponent: 0 };
  if (exponent - start > MAX_EXPONENT) throw new InvalidRequest(OVERFLOW);
  if (exponent - start < MIN_EXPONENT) {
    throw new InvalidRequest(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    );
  }
  return { negative, digits: digits.slice(start, end), exponent: exponent - start };
}

const lastPlace = ({ digits, exponent }: Decimal): number => exponent - digits.length + 1;

function scaled(value: Decimal, scale: number): bigint {
  const magnitude = BigInt(value.digits || '0') * 10n ** BigInt(lastPlace(value) - scale);
  return value.negative ? -magnitude : magnitude;
}
