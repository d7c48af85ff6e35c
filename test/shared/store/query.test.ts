import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eachFound, found, foundOnPage } from '../../../shared/store/query.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';

/** Three of these exceed the megabyte of one DynamoDB query response. */
const body = 'x'.repeat(390_000);
const query = {
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': 'large' },
};

let table: EmptyTable;
beforeAll(async () => {
  table = await emptyTable();
  for (const sk of ['1', '2', '3', '4', '5']) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { pk: 'large', sk, body } }));
  }
});
afterAll(() => table.stop());

const namesOf = (items: readonly Record<string, unknown>[]) => items.map(({ sk }) => sk);
const isOdd = ({ sk }: Record<string, unknown>) => Number(sk) % 2 === 1;

test('returns all results, even beyond one response of DynamoDB', async () => {
  expect(namesOf(await found(table, query))).toEqual(['1', '2', '3', '4', '5']);
  const each: unknown[] = [];
  for await (const { sk } of eachFound(table, query)) each.push(sk);
  expect(each).toEqual(['1', '2', '3', '4', '5']);
});

test('continues past filtered items', async () => {
  expect(namesOf(await found(table, query, { most: 2 }))).toEqual(['1', '2']);
  expect(namesOf(await found(table, query, { most: 2, isWanted: isOdd }))).toEqual(['1', '3']);
  expect(namesOf(await found(table, { ...query, ScanIndexForward: false }, { isWanted: isOdd }))).toEqual([
    '5',
    '3',
    '1',
  ]);
});

test('a page shows whether another one follows', async () => {
  const page = async (number: number) => {
    const { items, hasMore } = await foundOnPage(table, query, { page: number, limit: 2, isWanted: isOdd });
    return [namesOf(items), hasMore];
  };
  expect([await page(1), await page(2), await page(3)]).toEqual([
    [['1', '3'], true],
    [['5'], false],
    [[], false],
  ]);
});
