import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
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

    test.each<[string, () => Promise<unknown>]>([
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
