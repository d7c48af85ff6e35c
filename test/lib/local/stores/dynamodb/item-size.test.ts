import { describe, expect, test } from '@jest/globals';
import { parseItem } from '../../../../../lib/local/stores/dynamodb/attribute-value.ts';
import { itemSize } from '../../../../../lib/local/stores/dynamodb/item-size.ts';

describe('the size of an item', () => {
  test.each<[string, Record<string, unknown>, number]>([
    ['a name and a string in UTF-8', { né: { S: '€' } }, 3 + 3],
    ['an empty string', { n: { S: '' } }, 1],
    ['bytes of a binary', { n: { B: 'AAEC' } }, 1 + 3],
    ['a boolean', { n: { BOOL: false } }, 2],
    ['a null', { n: { NULL: true } }, 2],
    ['zero', { n: { N: '0' } }, 1 + 1],
    ['a digit', { n: { N: '7' } }, 1 + 2],
    ['a negative digit', { n: { N: '-7' } }, 1 + 3],
    ['six digits', { n: { N: '123456' } }, 1 + 4],
    ['six digits around a point', { n: { N: '3.14159' } }, 1 + 5],
    ['zeros at the ends', { n: { N: '0042.1200' } }, 1 + 3],
    ['a power of ten', { n: { N: '1E125' } }, 1 + 2],
    ['an empty list', { n: { L: [] } }, 1 + 3],
    ['a list', { n: { L: [{ S: 'ab' }, { BOOL: true }] } }, 1 + 3 + 3 + 2],
    ['a map', { n: { M: { ab: { S: 'c' } } } }, 1 + 3 + 1 + 3],
  ])('%s', (_, item, octets) => {
    expect(itemSize(parseItem(item))).toBe(octets);
  });
});
