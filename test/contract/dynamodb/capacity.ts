import { BatchGetCommand, BatchWriteCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import type { Fields, Subject } from './subject.ts';

const INDEXES = { ReturnConsumedCapacity: 'INDEXES' as const };

/** Returns the capacity units of the table and of each index in the response. */
const units = (capacity: Fields | undefined): unknown => {
  const {
    CapacityUnits,
    Table,
    GlobalSecondaryIndexes = {},
  } = (capacity ?? {}) as {
    CapacityUnits?: number;
    Table?: { CapacityUnits: number };
    GlobalSecondaryIndexes?: Record<string, { CapacityUnits: number }>;
  };
  const indexes = Object.fromEntries(
    Object.entries(GlobalSecondaryIndexes).map(([name, index]) => [name, index.CapacityUnits]),
  );
  const sum = Object.values(indexes).reduce((total, index) => total + index, Table?.CapacityUnits ?? 0);
  expect(CapacityUnits).toBe(sum);
  return { table: Table?.CapacityUnits, ...indexes };
};

export function capacityContract(subject: () => Subject, test: ContractTest): void {
  describe('consumed capacity', () => {
    const text = (kilobytes: number) => 'x'.repeat(kilobytes * 1024 - 200);

    test('is returned on request; TOTAL omits the parts', async () => {
      const { put, fresh, table } = subject();
      const item = { pk: fresh(), sk: 'c', x: text(2) };
      expect((await put(item)).ConsumedCapacity).toBeUndefined();
      expect((await put(item, { ReturnConsumedCapacity: 'TOTAL' })).ConsumedCapacity).toEqual({
        TableName: table,
        CapacityUnits: 2,
      });
    });

    test('a write consumes one unit per KB of the larger of the old and the new item', async () => {
      const { put, update, remove, fresh } = subject();
      const key = { pk: fresh(), sk: 'c' };
      const spent = async (request: Promise<{ ConsumedCapacity?: Fields }>) =>
        units((await request).ConsumedCapacity);
      expect(await spent(remove(key, INDEXES) as never)).toEqual({ table: 1 });
      expect(await spent(put({ ...key, x: text(3) }, INDEXES) as never)).toEqual({ table: 3 });
      expect(await spent(put({ ...key, x: text(1) }, INDEXES) as never)).toEqual({ table: 3 });
      const grow = { ...INDEXES, ExpressionAttributeValues: { ':x': text(5) } };
      expect(await spent(update(key, 'SET x = :x', grow) as never)).toEqual({ table: 5 });
      expect(await spent(remove(key, INDEXES) as never)).toEqual({ table: 5 });
    });

    test('an index consumes units for its projected attributes, twice if its key changes, and none if nothing changes', async () => {
      const { put, update, remove, fresh } = subject();
      const key = { pk: fresh(), sk: 'c' };
      const team = fresh();
      const spent = async (request: Promise<unknown>) =>
        units(((await request) as { ConsumedCapacity: Fields }).ConsumedCapacity);
      const set = (expression: string, value: unknown) =>
        update(key, expression, { ...INDEXES, ExpressionAttributeValues: { ':v': value } });
      expect(
        await spent(put({ ...key, team, score: 1, town: 'a', keeper: team, x: text(3) }, INDEXES)),
      ).toEqual({ table: 3, all: 3, keys: 1, some: 1 });
      expect(await spent(set('SET note = :v', 'n'))).toEqual({ table: 3, all: 3, some: 1 });
      expect(await spent(set('SET extra = :v', 'n'))).toEqual({ table: 3, all: 3 });
      expect(await spent(set('SET extra = :v', 'n'))).toEqual({ table: 3 });
      expect(await spent(set('SET score = :v', 2))).toEqual({ table: 3, all: 6 });
      expect(await spent(update(key, 'REMOVE team', INDEXES))).toEqual({ table: 3, all: 3, some: 1 });
      expect(await spent(remove(key, INDEXES))).toEqual({ table: 3, keys: 1 });
    });

    test('a read consumes one unit per 4 KB, half if eventually consistent, and a minimum if nothing is found', async () => {
      const { put, get, query, fresh } = subject();
      const key = { pk: fresh(), sk: 'c' };
      await put({ ...key, x: text(9) });
      const spent = async (request: Promise<unknown>) =>
        units(((await request) as { ConsumedCapacity: Fields }).ConsumedCapacity);
      const pk = { ':pk': key.pk };
      expect(await spent(get(key, INDEXES))).toEqual({ table: 3 });
      expect(await spent(get(key, { ...INDEXES, ConsistentRead: false }))).toEqual({ table: 1.5 });
      expect(await spent(get({ ...key, sk: 'none' }, { ...INDEXES, ConsistentRead: false }))).toEqual({
        table: 0.5,
      });
      expect(await spent(query('pk = :pk', pk, { ...INDEXES, ConsistentRead: true }))).toEqual({ table: 3 });
      expect(await spent(query('pk = :pk', { ':pk': fresh() }, INDEXES))).toEqual({ table: 0.5 });
      await put({ ...key, sk: 'd', x: text(1) });
      const filtered = { ...INDEXES, ConsistentRead: true, FilterExpression: 'attribute_exists(nothing)' };
      expect(await spent(query('pk = :pk', pk, filtered))).toEqual({ table: 3 });
    });

    test('a query of an index consumes units for the projected attributes', async () => {
      const { put, query, fresh } = subject();
      const keeper = fresh();
      await put({ pk: keeper, sk: 'c', keeper, x: text(9) });
      const answer = await query('keeper = :k', { ':k': keeper }, { IndexName: 'keys', ...INDEXES });
      expect(units(answer.ConsumedCapacity as never)).toEqual({ table: 0, keys: 0.5 });
    });

    test('a batch consumes units for each item separately', async () => {
      const { sdk, table, fresh } = subject();
      const pk = fresh();
      const keys = [1, 2, 3].map((n) => ({ pk, sk: `${n}` }));
      const written = await sdk.send(
        new BatchWriteCommand({
          ...INDEXES,
          RequestItems: { [table]: keys.map((key) => ({ PutRequest: { Item: { ...key, keeper: pk } } })) },
        }),
      );
      expect(written.ConsumedCapacity?.map((one) => units(one as never))).toEqual([{ table: 3, keys: 3 }]);
      const read = await sdk.send(
        new BatchGetCommand({ ...INDEXES, RequestItems: { [table]: { Keys: [...keys, { pk, sk: '4' }] } } }),
      );
      expect(read.ConsumedCapacity?.map((one) => units(one as never))).toEqual([{ table: 2 }]);
    });

    test('a transaction consumes twice the units for its items, but not for index writes', async () => {
      const { sdk, transact, table: TableName, fresh } = subject();
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
      const more = { ...INDEXES, ClientRequestToken: fresh() };
      const { ConsumedCapacity: first } = await transact(actions, more);
      expect(first?.map((one) => units(one as never))).toEqual([{ table: 8, keys: 1 }]);
      expect(first?.[0]).toMatchObject({ WriteCapacityUnits: 9, Table: { WriteCapacityUnits: 8 } });
      const { ConsumedCapacity: again } = await transact(actions, more);
      expect(again?.[0]).toMatchObject({ ReadCapacityUnits: 4, CapacityUnits: 4 });
      const get = (sk: string) => ({ Get: { TableName, Key: { pk, sk } } });
      const read = await sdk.send(
        new TransactGetCommand({ ...INDEXES, TransactItems: [get('a'), get('b')] }),
      );
      expect(read.ConsumedCapacity?.[0]).toMatchObject({ CapacityUnits: 4, Table: { ReadCapacityUnits: 4 } });
    });
  });
}
