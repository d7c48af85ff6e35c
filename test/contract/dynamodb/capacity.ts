import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import type { Subject } from './subject.ts';

const TOTAL = { ReturnConsumedCapacity: 'TOTAL' as const };

interface Answer {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[] | undefined;
}

interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

/** Returns the capacity units of a table and its indexes together. */
async function spent(request: Promise<Answer>): Promise<number | undefined> {
  const { ConsumedCapacity } = await request;
  return [ConsumedCapacity ?? []].flat()[0]?.CapacityUnits;
}

export function capacityContract(subject: () => Subject, test: ContractTest): void {
  describe('consumed capacity', () => {
    const text = (kilobytes: number) => 'x'.repeat(kilobytes * 1024 - 200);

    test('is returned on request', async () => {
      const { put, fresh, table } = subject();
      const item = { pk: fresh(), sk: 'c', x: text(2) };
      expect((await put(item)).ConsumedCapacity).toBeUndefined();
      expect((await put(item, TOTAL)).ConsumedCapacity).toEqual({ TableName: table, CapacityUnits: 2 });
    });

    test('a write consumes one unit per KB of the larger of the old and the new item', async () => {
      const { put, update, remove, fresh } = subject();
      const key = { pk: fresh(), sk: 'c' };
      expect(await spent(remove(key, TOTAL))).toBe(1);
      expect(await spent(put({ ...key, x: text(3) }, TOTAL))).toBe(3);
      expect(await spent(put({ ...key, x: text(1) }, TOTAL))).toBe(3);
      const grow = { ...TOTAL, ExpressionAttributeValues: { ':x': text(5) } };
      expect(await spent(update(key, 'SET x = :x', grow))).toBe(5);
      expect(await spent(remove(key, TOTAL))).toBe(5);
    });

    test('an index consumes units like its table, twice if its key changes, and none if nothing changes', async () => {
      const { put, update, remove, fresh } = subject();
      const key = { pk: fresh(), sk: 'c' };
      const team = fresh();
      const set = (expression: string, value: unknown) =>
        update(key, expression, { ...TOTAL, ExpressionAttributeValues: { ':v': value } });
      expect(await spent(put({ ...key, team, town: 'a', keeper: team, x: text(3) }, TOTAL))).toBe(3 + 3 + 3);
      expect(await spent(set('SET note = :v', 'n'))).toBe(3 + 3 + 3);
      expect(await spent(set('SET note = :v', 'n'))).toBe(3);
      expect(await spent(set('SET town = :v', 'b'))).toBe(3 + 6 + 3);
      expect(await spent(update(key, 'REMOVE team', TOTAL))).toBe(3 + 3 + 3);
      expect(await spent(remove(key, TOTAL))).toBe(3 + 3);
    });

    test('a read consumes one unit per 4 KB, half if eventually consistent, and a minimum if nothing is found', async () => {
      const { put, get, query, fresh } = subject();
      const key = { pk: fresh(), sk: 'c' };
      await put({ ...key, x: text(9) });
      const pk = { ':pk': key.pk };
      expect(await spent(get(key, TOTAL))).toBe(3);
      expect(await spent(get(key, { ...TOTAL, ConsistentRead: false }))).toBe(1.5);
      expect(await spent(get({ ...key, sk: 'none' }, { ...TOTAL, ConsistentRead: false }))).toBe(0.5);
      expect(await spent(query('pk = :pk', pk, { ...TOTAL, ConsistentRead: true }))).toBe(3);
      await put({ ...key, sk: 'd', x: text(1) });
      const filtered = { ...TOTAL, ConsistentRead: true, FilterExpression: 'attribute_exists(nothing)' };
      expect(await spent(query('pk = :pk', pk, filtered))).toBe(3);
      expect(await spent(query('pk = :pk', { ':pk': fresh() }, TOTAL))).toBe(0.5);
    });

    test('a batch consumes units for each item separately', async () => {
      const { sdk, table, fresh } = subject();
      const pk = fresh();
      const puts = ['1', '2', '3'].map((sk) => ({ PutRequest: { Item: { pk, sk, keeper: pk } } }));
      const written = sdk.send(new BatchWriteCommand({ ...TOTAL, RequestItems: { [table]: puts } }));
      expect(await spent(written)).toBe(3 + 3);
    });

    test('a transaction consumes twice the units for its items, but not for index writes', async () => {
      const { transact, table: TableName, fresh } = subject();
      const pk = fresh();
      const actions = [
        { Put: { TableName, Item: { pk, sk: 'a', keeper: pk, x: text(3) } } },
        {
          ConditionCheck: {
            TableName,
            Key: { pk, sk: 'b' },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ];
      const more = { ...TOTAL, ClientRequestToken: fresh() };
      expect(await spent(transact(actions, more))).toBe(2 * (3 + 1) + 3);
      expect(await spent(transact(actions, more))).toBe(2 * (1 + 1));
    });
  });
}
