import { describe, expect, test } from '@jest/globals';
import type { AttributeValue } from '../../../../lib/local/dynamodb/attribute-value.ts';
import { behind, encode, encodeBeginning } from '../../../../lib/local/dynamodb/order.ts';

const SAMPLES = 3000;
const random = (below: number): number => Math.floor(Math.random() * below);
const digits = (count: number): string => Array.from({ length: count }, () => random(10)).join('');

/** Returns a random valid number: up to 38 digits, exponents over the whole range, many close to each other. */
function randomNumber(): string {
  const sign = random(2) === 0 ? '' : '-';
  if (random(3) === 0) return `${sign}${random(200)}`;
  if (random(3) === 0) return `${sign}${random(20)}.${digits(1 + random(3))}`;
  return `${sign}${1 + random(9)}.${digits(random(38))}e${random(256) - 130}`;
}

/** An independent order: the numbers as integers of 300 digits. */
function scaled(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d*))?(?:e(-?\d+))?$/.exec(text) ?? [];
  const magnitude = BigInt(whole + fraction) * 10n ** BigInt(300 - fraction.length + Number(power));
  return sign === '-' ? -magnitude : magnitude;
}

const alphabet = ['\0', '\x01', 'a', 'b', 'Z', '\x7f', 'é', 'ÿ', '€', '\uffff', '💌'];
const randomText = (): string =>
  Array.from({ length: random(5) }, () => alphabet[random(alphabet.length)]).join('');
const randomOctets = (): Buffer =>
  Buffer.from(Array.from({ length: random(5) }, () => [0, 1, 127, 254, 255][random(5)] ?? 0));

const sign = (order: number | bigint): number => (order < 0 ? -1 : order > 0 ? 1 : 0);

function expectOrder(one: AttributeValue, two: AttributeValue, expected: number): void {
  const order = sign(Buffer.compare(encode(one), encode(two)));
  if (order !== expected)
    throw new Error(`${JSON.stringify(one)} and ${JSON.stringify(two)}: ${order}, not ${expected}`);
}

describe('the order of encoded keys', () => {
  test(`is the order of the numbers, for ${SAMPLES} random pairs`, () => {
    for (let n = 0; n < SAMPLES; n += 1) {
      const [one, two] = [randomNumber(), randomNumber()];
      expectOrder({ N: one }, { N: two }, sign(scaled(one) - scaled(two)));
    }
  });

  test('is the order of strings by their UTF-8 and of binaries by their bytes', () => {
    for (let n = 0; n < SAMPLES; n += 1) {
      const [one, two] = [randomText(), randomText()];
      expectOrder({ S: one }, { S: two }, sign(Buffer.compare(Buffer.from(one), Buffer.from(two))));
      const [left, right] = [randomOctets(), randomOctets()];
      expectOrder(
        { B: left.toString('base64') },
        { B: right.toString('base64') },
        sign(Buffer.compare(left, right)),
      );
    }
  });

  test('does not depend on what follows a value, because no encoding is a prefix of another', () => {
    const values = [randomNumber, randomText, () => randomOctets().toString('base64')];
    for (let n = 0; n < SAMPLES; n += 1) {
      const type = (['N', 'S', 'B'] as const)[n % 3] ?? 'S';
      const [one, two] = [0, 1].map(() => encode({ [type]: values[n % 3]?.() ?? '' } as never)) as [
        Buffer,
        Buffer,
      ];
      if (one.equals(two)) continue;
      expect(one.subarray(0, two.length).equals(two)).toBe(false);
      const order = Buffer.compare(one, two);
      const tails = [Buffer.from([255, 255]), Buffer.from([0])] as const;
      expect(Buffer.compare(Buffer.concat([one, tails[0]]), Buffer.concat([two, tails[1]]))).toBe(order);
    }
  });

  test('keeps values with the same prefix together', () => {
    const partition = encode({ S: 'p' });
    for (let n = 0; n < SAMPLES; n += 1) {
      const [beginning, whole] = [randomText(), randomText()];
      const from = Buffer.concat([partition, encodeBeginning({ S: beginning })]);
      const key = Buffer.concat([partition, encode({ S: whole })]);
      const inside = Buffer.compare(key, from) >= 0 && Buffer.compare(key, behind(from)) < 0;
      expect([beginning, whole, inside]).toEqual([beginning, whole, whole.startsWith(beginning)]);
    }
  });

  test.each([
    ['1', '1.0'],
    ['100', '1e2'],
    ['0', '-0'],
    ['0.001', '1E-3'],
  ])('%s and %s are the same key', (one, two) => {
    expect(encode({ N: one })).toEqual(encode({ N: two }));
  });
});
