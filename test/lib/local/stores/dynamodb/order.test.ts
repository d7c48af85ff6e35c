import { describe, expect, test } from '@jest/globals';
import { behind, encode, encodeBeginning } from '../../../../../lib/local/stores/dynamodb/order.ts';

const SAMPLES = 3000;
const random = (below: number): number => Math.floor(Math.random() * below);

const alphabet = ['\0', '\x01', 'a', 'b', 'Z', '\x7f', 'é', 'ÿ', '€', '\uffff', '💌'];
const randomText = (): string =>
  Array.from({ length: random(5) }, () => alphabet[random(alphabet.length)]).join('');

describe('the order of encoded keys', () => {
  test('is the order of strings by their UTF-8', () => {
    for (let n = 0; n < SAMPLES; n += 1) {
      const [one, two] = [randomText(), randomText()];
      const order = Buffer.compare(Buffer.from(one), Buffer.from(two));
      expect([one, two, Buffer.compare(encode(one), encode(two))]).toEqual([one, two, order]);
    }
  });

  test('does not depend on what follows a value, because no encoding is a prefix of another', () => {
    for (let n = 0; n < SAMPLES; n += 1) {
      const [one, two] = [encode(randomText()), encode(randomText())];
      if (one.equals(two)) continue;
      expect(one.subarray(0, two.length).equals(two)).toBe(false);
      const order = Buffer.compare(one, two);
      const tails = [Buffer.from([255, 255]), Buffer.from([0])] as const;
      expect(Buffer.compare(Buffer.concat([one, tails[0]]), Buffer.concat([two, tails[1]]))).toBe(order);
    }
  });

  test('keeps values with the same prefix together', () => {
    const partition = encode('p');
    for (let n = 0; n < SAMPLES; n += 1) {
      const [beginning, whole] = [randomText(), randomText()];
      const from = Buffer.concat([partition, encodeBeginning(beginning)]);
      const key = Buffer.concat([partition, encode(whole)]);
      const inside = Buffer.compare(key, from) >= 0 && Buffer.compare(key, behind(from)) < 0;
      expect([beginning, whole, inside]).toEqual([beginning, whole, whole.startsWith(beginning)]);
    }
  });
});
