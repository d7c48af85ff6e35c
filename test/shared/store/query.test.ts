import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

/** Three of these exceed the megabyte of one DynamoDB query response. */
const body = 'x'.repeat(390_000);
const query = {
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': 'large' },
};
const schema = z.object({ sk: z.string() });

const table = await useTable();
for (const sk of ['1', '2', '3', '4', '5']) {
  await table.put({ pk: 'large', sk, body, ...(Number(sk) % 2 === 0 && { expiresAt: 1 }) });
}

const namesOf = (items: readonly Record<string, unknown>[]) => items.map(({ sk }) => sk);
/** The items with even numbers have expired. */
const aliveAt = new Date(1000);

test('returns all results, even beyond one response of DynamoDB', async () => {
  expect(namesOf(await table.query(query, schema))).toEqual(['1', '2', '3', '4', '5']);
  const each: unknown[] = [];
  for await (const { sk } of table.each(query, schema)) each.push(sk);
  expect(each).toEqual(['1', '2', '3', '4', '5']);
});

test('continues past expired items', async () => {
  expect(namesOf(await table.query(query, schema, { most: 2 }))).toEqual(['1', '2']);
  expect(namesOf(await table.query(query, schema, { most: 2, aliveAt }))).toEqual(['1', '3']);
  expect(namesOf(await table.query({ ...query, ScanIndexForward: false }, schema, { aliveAt }))).toEqual([
    '5',
    '3',
    '1',
  ]);
});

test('asks for no more items than are missing', async () => {
  const limits: unknown[] = [];
  const counted = sendingThrough(table, (command: QueryCommand) => {
    limits.push(command.input.Limit);
    return table.client.send(command);
  });
  await counted.query(query, schema, { most: 2, aliveAt });
  expect(limits).toEqual([2, 1]);
});

test('a page shows whether another one follows', async () => {
  const page = async (number: number) => {
    const { items, hasMore } = await table.page(query, schema, { page: number, limit: 2, aliveAt });
    return [namesOf(items), hasMore];
  };
  expect([await page(1), await page(2), await page(3)]).toEqual([
    [['1', '3'], true],
    [['5'], false],
    [[], false],
  ]);
});
