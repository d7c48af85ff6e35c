import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { refusal, type Subject } from './subject.ts';

export function itemContract(subject: () => Subject, test: ContractTest): void {
  describe('items', () => {
    test('values of every type are returned unchanged', async () => {
      const { put, get, fresh } = subject();
      const item = {
        pk: fresh(),
        sk: 'types',
        text: 'ünï — 💌',
        empty: '',
        integer: -42,
        fraction: 0.125,
        bytes: new Uint8Array([0, 255, 1]),
        yes: true,
        nothing: null,
        list: [1, 'two', [], {}, { three: [3] }],
        map: { 'a.b': 1, deep: { deeper: false } },
      };
      await put(item);
      expect((await get({ pk: item.pk, sk: 'types' })).Item).toEqual(item);
    });

    test.each([
      ['12345678901234567890.123456789012345678', '12345678901234567890.123456789012345678'],
      ['+001.50E+2', '150'],
      ['-0.00', '0'],
      ['-.5', '-0.5'],
    ])('the number %s is returned as %s', async (written, kept) => {
      const { client, table, fresh } = subject();
      const Key = { pk: { S: fresh() }, sk: { S: 'n' } };
      await client.send(new PutItemCommand({ TableName: table, Item: { ...Key, n: { N: written } } }));
      const { Item } = await client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }));
      expect(Item?.n).toEqual({ N: kept });
    });

    test.each([
      ['39 digits', '1.23456789012345678901234567890123456789'],
      ['a magnitude of 10^126', '1e126'],
      ['a magnitude of 10^-131', '1e-131'],
      ['letters', '12a'],
      ['no digits', ''],
    ])('a number with %s is rejected', async (_, N) => {
      const { client, table, fresh } = subject();
      const request = client.send(
        new PutItemCommand({ TableName: table, Item: { pk: { S: fresh() }, sk: { S: 'n' }, n: { N } } }),
      );
      expect(await refusal(request)).toMatchObject({ name: 'ValidationException' });
    });

    test('a put replaces the whole item, and a delete removes it', async () => {
      const { put, remove, get, fresh } = subject();
      const key = { pk: fresh(), sk: 'a' };
      await put({ ...key, old: 1 });
      await put({ ...key, fresh: 2 });
      expect((await get(key)).Item).toEqual({ ...key, fresh: 2 });
      await remove(key);
      expect((await get(key)).Item).toBeUndefined();
      await remove(key);
    });

    const at = (pk: string) => ({ pk, sk: 'a' });
    test.each<[string, (s: Subject) => Promise<unknown>, RegExp]>([
      ['an item without its key', (s) => s.put({ pk: s.fresh() }), /Missing the key sk in the item/],
      ['a key of the wrong type', (s) => s.put({ pk: s.fresh(), sk: 1 }), /Type mismatch for key sk/],
      ['an empty key', (s) => s.put({ pk: s.fresh(), sk: '' }), /empty string value/],
      ['a sort key of 1025 octets', (s) => s.put({ pk: s.fresh(), sk: 'x'.repeat(1025) }), /1024 bytes/],
      ['a partition key of 2049 octets', (s) => s.put({ pk: 'x'.repeat(2049), sk: 'a' }), /2048 bytes/],
      [
        'an index key of the wrong type',
        (s) => s.put({ ...at(s.fresh()), town: 1 }),
        /Type mismatch for Index Key/,
      ],
      [
        'an item of more than 400 KB',
        (s) => s.put({ ...at(s.fresh()), x: 'x'.repeat(400 * 1024) }),
        /Item size/,
      ],
      ['an incomplete key in a read', (s) => s.get({ pk: s.fresh() }), /does not match the schema/],
      [
        'extra attributes in the key of a read',
        (s) => s.get({ ...at(s.fresh()), x: 1 }),
        /does not match the schema/,
      ],
      ['an empty attribute name', (s) => s.put({ ...at(s.fresh()), '': 1 }), /Empty attribute name/],
      ['an empty map key', (s) => s.put({ ...at(s.fresh()), x: [{ '': 1 }] }), /Empty attribute name/],
    ])('%s is rejected', async (_, request, message) => {
      expect((await refusal(request(subject()))).message).toMatch(message);
    });

    test('an item of exactly 400 KB is stored', async () => {
      const { put, get, fresh } = subject();
      const key = at(fresh());
      const octets = 400 * 1024 - ['pk', 'sk', 'x', key.pk, key.sk].join('').length;
      await put({ ...key, x: 'x'.repeat(octets) });
      expect((await get(key)).Item?.x).toHaveLength(octets);
    });
  });

  describe('conditions', () => {
    /** As many comparisons, with one OR less between them. */
    const anyOf = (count: number): string => Array.from({ length: count }, () => 'n = :v').join(' OR ');
    const condition = async (expression: string, values: Record<string, unknown> = {}): Promise<boolean> => {
      const { put, update, fresh } = subject();
      const key = { pk: fresh(), sk: 'item' };
      await put({
        ...key,
        n: 5,
        s: 'hello',
        b: new Uint8Array([1, 2]),
        chart: { deep: { down: 7 } },
        gone: null,
      });
      try {
        await update(key, 'REMOVE absent', {
          ConditionExpression: expression,
          ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
        });
        return true;
      } catch (error) {
        if ((error as Error).name === 'ConditionalCheckFailedException') return false;
        throw error;
      }
    };

    test.each<[string, Record<string, unknown>, boolean]>([
      ['n = :v', { ':v': 5 }, true],
      ['n <> :v', { ':v': 5 }, false],
      ['absent <> :v', { ':v': 5 }, true],
      ['absent = :v', { ':v': 5 }, false],
      ['n < :v', { ':v': 10 }, true],
      ['n >= :v', { ':v': 5 }, true],
      ['n < :v', { ':v': '6' }, false],
      ['s > :v', { ':v': 'h' }, true],
      ['s <= :v', { ':v': 'hello' }, true],
      ['n BETWEEN :a AND :b', { ':a': 5, ':b': 6 }, true],
      ['s between :a and :b', { ':a': 'i', ':b': 'z' }, false],
      ['attribute_exists(chart.deep.down)', {}, true],
      ['attribute_not_exists(absent)', {}, true],
      ['attribute_not_exists(gone)', {}, false],
      ['begins_with(s, :p)', { ':p': 'hell' }, true],
      ['begins_with(b, :p)', { ':p': new Uint8Array([1]) }, true],
      ['begins_with(s, :p)', { ':p': 'ello' }, false],
      ['chart.deep.down = :v AND n = :w', { ':v': 7, ':w': 6 }, false],
      ['n = :v OR s = :v AND s = :v', { ':v': 5 }, true],
      ['(n = :v OR s = :v) AND s = :v', { ':v': 5 }, false],
      [anyOf(150), { ':v': 5 }, true],
    ])('%s with %j: %s', async (expression, values, expected) => {
      expect(await condition(expression, values)).toBe(expected);
    });

    test.each<[string, Record<string, unknown>, RegExp]>([
      [anyOf(151), { ':v': 5 }, /too many operators; operator count: 301/],
      ['s = s', {}, /must be distinct/],
      ['chart.deep <> chart.deep', {}, /must be distinct/],
      ['attribute_not_exists(pk.a)', {}, /Key attributes must be scalars.*: Key: pk/],
      ['team.a = :v', { ':v': 5 }, /Key attributes must be scalars.*: IndexKey: team/],
    ])('%s with %j is rejected', async (expression, values, message) => {
      expect(await refusal(condition(expression, values))).toMatchObject({
        name: 'ValidationException',
        message: expect.stringMatching(message),
      });
    });
  });
}
