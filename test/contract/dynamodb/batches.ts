import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { refusal, type Subject } from './subject.ts';

export function batchContract(subject: () => Subject, test: ContractTest): void {
  describe('batches', () => {
    const write = (requests: object[]) =>
      subject().sdk.send(new BatchWriteCommand({ RequestItems: { [subject().table]: requests } }));
    const puts = (pk: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ PutRequest: { Item: { pk, sk: `s${n}`, n } } }));
    test('can have 25 writes', async () => {
      const { query, fresh } = subject();
      const pk = fresh();
      expect((await write(puts(pk, 25))).UnprocessedItems).toEqual({});
      await write([
        { DeleteRequest: { Key: { pk, sk: 's0' } } },
        { PutRequest: { Item: { pk, sk: 's1', n: 'new' } } },
      ]);
      const { Items } = await query('pk = :pk', { ':pk': pk }, { ConsistentRead: true });
      expect(Items).toHaveLength(24);
      expect(Items).toContainEqual({ pk, sk: 's1', n: 'new' });
    });

    const read = (Keys: Record<string, unknown>[], ConsistentRead = true) =>
      subject().sdk.send(
        new BatchGetCommand({
          RequestItems: { [subject().table]: { Keys, ConsistentRead } },
          ReturnConsumedCapacity: 'TOTAL',
        }),
      );

    test('can have 100 reads, and return the items that exist', async () => {
      const { fresh, table } = subject();
      const pk = fresh();
      await write(puts(pk, 2));
      const Keys = Array.from({ length: 100 }, (_, n) => ({ pk, sk: `s${n}` }));
      const { Responses, UnprocessedKeys, ConsumedCapacity } = await read(Keys);
      expect(Responses?.[table]?.toSorted((a, b) => a.n - b.n)).toEqual([
        { pk, sk: 's0', n: 0 },
        { pk, sk: 's1', n: 1 },
      ]);
      expect(UnprocessedKeys).toEqual({});
      expect(ConsumedCapacity?.map(({ CapacityUnits }) => CapacityUnits)).toEqual([100]);
    });

    test('of eventually consistent reads cost half', async () => {
      const pk = subject().fresh();
      const { ConsumedCapacity } = await read(
        [
          { pk, sk: 'a' },
          { pk, sk: 'b' },
        ],
        false,
      );
      expect(ConsumedCapacity?.map(({ CapacityUnits }) => CapacityUnits)).toEqual([1]);
    });

    test.each<[string, () => Promise<unknown>]>([
      ['101 reads', () => read(Array.from({ length: 101 }, (_, n) => ({ pk: 'x', sk: `s${n}` })))],
      ['no reads', () => read([])],
      [
        'the same key twice in a read',
        () =>
          read([
            { pk: 'x', sk: 's' },
            { pk: 'x', sk: 's' },
          ]),
      ],
      ['26 writes', () => write(puts('x', 26))],
      ['no writes', () => write([])],
      [
        'the same key twice in a write',
        () => write([...puts('x', 1), { DeleteRequest: { Key: { pk: 'x', sk: 's0' } } }]),
      ],
      ['a key of the wrong type in a batch', () => write([{ DeleteRequest: { Key: { pk: 'x', sk: 1 } } }])],
    ])('%s is rejected', async (_, request) => {
      expect(await refusal(request())).toMatchObject({ name: 'ValidationException' });
    });
  });
}
