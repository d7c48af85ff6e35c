/** What is tried again, after which delays; and what a request can hold. */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as z from 'zod/mini';
import { reachAwsBy } from '../../../shared/store/aws-access.ts';
import { writeBatch } from '../../../shared/store/batch-write.ts';
import { Contended, untilUncontended } from '../../../shared/store/contention.ts';
import { openClient } from '../../../shared/store/items.ts';
import { counted } from '../../kit/capacity.ts';
import { conflicting } from '../../kit/conflicting-table.ts';
import { sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

/** The delays in milliseconds; nothing waits for them. */
const delays: number[] = [];
beforeEach(() => {
  delays.length = 0;
  jest.spyOn(timers, 'setTimeout').mockImplementation(async (time = 0) => void delays.push(time));
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
  syncBuiltinESMExports();
});
afterEach(() => {
  jest.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Those of eight attempts, half of the longest ones. */
const GROWING = [10, 20, 40, 80, 160, 320, 640];

const table = await useTable();
const item = { pk: 'p', sk: 's', value: 1 };
const read = (sk: string) => ({ key: { pk: 'p', sk }, schema: z.object({ value: z.number() }) });

describe('eight attempts are made', () => {
  test.each([
    ['a write', (times: number) => conflicting(table, times).put(item)],
    ['a transaction', (times: number) => conflicting(table, times).transact([{ Put: { Item: item } }])],
    [
      'a change of what was read',
      (times: number) => {
        let left = times;
        return untilUncontended(async () => (left-- > 0 ? undefined : 'done'));
      },
    ],
  ])('of %s', async (_what, write) => {
    await write(7);
    expect(delays).toEqual(GROWING);
    await expect(write(8)).rejects.toThrow(Contended);
    expect(delays).toEqual([...GROWING, ...GROWING]);
  });

  test('of a read, each of what is still missing', async () => {
    await table.put(item);
    const sent: unknown[] = [];
    const slow = (times: number) =>
      sendingThrough(table, async (command: BatchGetCommand) => {
        sent.push(command.input.RequestItems?.[table.name]?.Keys);
        if (sent.length > times) return table.client.send(command);
        return { UnprocessedKeys: { [table.name]: { Keys: [{ pk: 'p', sk: 's' }] } } };
      });
    const found = await slow(7).getMany([read('s'), read('t')]);
    expect([found.of(read('s')), found.of(read('t'))]).toEqual([{ value: 1 }, undefined]);
    const one = [{ pk: 'p', sk: 's' }];
    expect(sent.splice(0)).toEqual([[...one, { pk: 'p', sk: 't' }], ...GROWING.map(() => one)]);
    expect(delays.splice(0)).toEqual(GROWING);
    await expect(slow(8).getMany([read('s')])).rejects.toThrow('items that could not be read: 1');
    expect(sent).toHaveLength(8);
  });
});

test('a batch is offered until all of it is taken, at most a second apart', async () => {
  let left = 10;
  const sent: unknown[] = [];
  const busy = sendingThrough(table, async ({ input: { RequestItems = {} } }: BatchWriteCommand) => {
    sent.push(RequestItems[table.name]);
    return left-- > 0 ? { UnprocessedItems: { [table.name]: [{ PutRequest: { Item: item } }] } } : {};
  });
  const other = { PutRequest: { Item: { pk: 'p', sk: 'other' } } };
  await writeBatch(busy, [other, { PutRequest: { Item: item } }]);
  expect(sent).toHaveLength(11);
  expect([sent[0], sent[10]]).toEqual([
    [other, { PutRequest: { Item: item } }],
    [{ PutRequest: { Item: item } }],
  ]);
  expect(delays).toEqual([...GROWING, 640, 640, 640]);
});

test('what fails for another reason is not tried again', async () => {
  const broken = sendingThrough(table, () => Promise.reject(new Error('broken')));
  await expect(broken.put(item)).rejects.toThrow('broken');
  await expect(broken.tryTransact([{ Put: { Item: item } }])).rejects.toThrow('broken');
  await expect(untilUncontended(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(delays).toEqual([]);
});

test('items are read in requests of a hundred', async () => {
  const { table: measured, capacity } = counted(table);
  const reads = Array.from({ length: 201 }, (_, n) => read(String(n)));
  await measured.getMany(reads.slice(0, 100));
  expect(capacity.sizes.splice(0)).toEqual([100]);
  await measured.getMany(reads);
  expect(capacity.sizes.toSorted()).toEqual([1, 100, 100]);
});

test('only clients that are made here reach the table as the process is told', () => {
  const told: unknown[] = [];
  reachAwsBy({ documents: (client) => void told.push(client) });
  openClient(new DynamoDBClient({ region: 'eu-west-1' }));
  expect(told).toEqual([]);
  const own = openClient();
  expect(told).toEqual([own]);
});
