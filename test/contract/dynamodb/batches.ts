import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { refusal, type Subject } from './subject.ts';

export function batchContract(subject: () => Subject, test: ContractTest): void {
  describe('batches', () => {
    const write = (requests: object[]) =>
      subject().sdk.send(new BatchWriteCommand({ RequestItems: { [subject().table]: requests } }));
    const read = (Keys: object[], more: object = {}) =>
      subject().sdk.send(
        new BatchGetCommand({
          RequestItems: {
            [subject().table]: { Keys: Keys as Record<string, unknown>[], ConsistentRead: true, ...more },
          },
        }),
      );
    const puts = (pk: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ PutRequest: { Item: { pk, sk: `s${n}`, n } } }));
    const keys = (pk: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ pk, sk: `s${n}` }));

    test('can have 25 writes or 100 gets', async () => {
      const { fresh, table } = subject();
      const pk = fresh();
      expect((await write(puts(pk, 25))).UnprocessedItems).toEqual({});
      await write([
        { DeleteRequest: { Key: { pk, sk: 's0' } } },
        { PutRequest: { Item: { pk, sk: 's1', n: 'new' } } },
      ]);
      const { Responses, UnprocessedKeys } = await read(keys(pk, 100));
      expect(UnprocessedKeys).toEqual({});
      expect(Responses?.[table]).toHaveLength(24);
      expect(Responses?.[table]).toContainEqual({ pk, sk: 's1', n: 'new' });
    });

    test('a response ends at 16 MB and contains the unprocessed keys', async () => {
      const { put, fresh, table } = subject();
      const pk = fresh();
      const requested = keys(pk, 45);
      const x = 'x'.repeat(390 * 1024);
      for (const key of requested) await put({ ...key, x });
      const first = await read(requested, { ProjectionExpression: 'sk' });
      const left = first.UnprocessedKeys?.[table]?.Keys ?? [];
      expect(left.length).toBeGreaterThan(0);
      const second = await read(left, { ProjectionExpression: 'sk' });
      const found = [...(first.Responses?.[table] ?? []), ...(second.Responses?.[table] ?? [])];
      expect(new Set(found.map(({ sk }) => sk))).toEqual(new Set(requested.map(({ sk }) => sk)));
      expect(found).toHaveLength(45);
    });

    test('a projection applies to each item', async () => {
      const { fresh, table } = subject();
      const pk = fresh();
      await write(puts(pk, 1));
      const { Responses } = await read(keys(pk, 2), {
        ProjectionExpression: '#n',
        ExpressionAttributeNames: { '#n': 'n' },
      });
      expect(Responses?.[table]).toEqual([{ n: 0 }]);
    });

    test.each<[string, () => Promise<unknown>]>([
      ['26 writes', () => write(puts('x', 26))],
      ['no writes', () => write([])],
      [
        'the same key twice in a write',
        () => write([...puts('x', 1), { DeleteRequest: { Key: { pk: 'x', sk: 's0' } } }]),
      ],
      ['101 gets', () => read(keys('x', 101))],
      ['the same key twice in a get', () => read([...keys('x', 1), ...keys('x', 1)])],
      ['a key of the wrong type in a get', () => read([{ pk: 'x', sk: 1 }])],
    ])('%s is rejected', async (_, request) => {
      expect(await refusal(request())).toMatchObject({ name: 'ValidationException' });
    });
  });
}
