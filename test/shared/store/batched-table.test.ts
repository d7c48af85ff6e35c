/** Requests that concurrent reads and transactions share. */
import { describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { batchedTable } from '../../../shared/store/batched-table.ts';
import type { Key } from '../../../shared/store/keys.ts';
import type { Write } from '../../../shared/store/table.ts';
import { sendingThrough } from '../../kit/table.ts';
import { useTable } from '../../kit/use-table.ts';

const table = await useTable();

/** The table, and the names and sizes of the requests that it gets. */
function counted(refuse: (command: { input: object }) => boolean = () => false) {
  const requests: (readonly [string, number])[] = [];
  const through = sendingThrough(
    table,
    async (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
      const { TransactItems = [], RequestItems = {} } = command.input as {
        TransactItems?: unknown[];
        RequestItems?: Record<string, { Keys: unknown[] }>;
      };
      const keys = Object.values(RequestItems).flatMap(({ Keys }) => Keys);
      requests.push([command.constructor.name, TransactItems.length + keys.length]);
      if (refuse(command)) throw new Error('refused');
      return table.client.send(command as never);
    },
  );
  return { requests, on: batchedTable(through) };
}

const key = (name: string): Key => ({ pk: `SHARED#${name}`, sk: 'ONE' });
const schema = z.object({ value: z.number() });
const put = (name: string, value = 1): Write => ({ Put: { Item: { ...key(name), value } } });
const isNew = (name: string): Write => ({
  Put: { Item: { ...key(name), value: 2 }, ConditionExpression: 'attribute_not_exists(pk)' },
});
const exists = (name: string): Write => ({
  ConditionCheck: { Key: key(name), ConditionExpression: 'attribute_exists(pk)' },
});
const storedValue = async (name: string) => (await table.get(key(name), schema))?.value;

describe('transactions', () => {
  test('share a request, and a condition that several have is checked once', async () => {
    await table.transact([put('parent')]);
    const { requests, on } = counted();
    const done = await Promise.all(
      ['a', 'b', 'c'].map((name) => on.tryTransact([exists('parent'), isNew(name)])),
    );
    expect(done.map((failed) => failed.size)).toEqual([0, 0, 0]);
    expect(requests).toEqual([['TransactWriteCommand', 4]]);
    expect(await Promise.all(['a', 'b', 'c'].map(storedValue))).toEqual([2, 2, 2]);
  });

  test('fail by themselves', async () => {
    await table.transact([put('taken')]);
    const { on } = counted();
    const names = ['d', 'taken', 'e'];
    const done = await Promise.all(names.map((name) => on.tryTransact([put(`${name} too`), isNew(name)])));
    expect(done.map((failed) => [...failed])).toEqual([[], [1], []]);
    expect(await Promise.all(names.map(storedValue))).toEqual([2, 1, 2]);
    expect(await storedValue('taken too')).toBeUndefined();
  });

  test('that change the same item are performed one after the other', async () => {
    const { requests, on } = counted();
    const add: Write = {
      Update: {
        Key: key('sum'),
        UpdateExpression: 'ADD #value :one',
        ExpressionAttributeNames: { '#value': 'value' },
        ExpressionAttributeValues: { ':one': 1 },
      },
    };
    await Promise.all(['f', 'g', 'h'].map((name) => on.transact([isNew(name), add])));
    expect(await storedValue('sum')).toBe(3);
    expect(requests).toEqual(Array(3).fill(['TransactWriteCommand', 2]));
  });

  test('are at most 100 items of a request', async () => {
    const { requests, on } = counted();
    await Promise.all(Array.from({ length: 101 }, (_, n) => on.transact([isNew(`many ${n}`)])));
    expect(requests.map(([, items]) => items)).toEqual([100, 1]);
  });

  test('of an error get the error that is theirs', async () => {
    const { on } = counted(({ input }) => JSON.stringify(input).includes('SHARED#bad'));
    const done = await Promise.allSettled([on.transact([isNew('good')]), on.transact([isNew('bad')])]);
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await storedValue('good')).toBe(2);
  });
});

test('reads share a request, and each finds its own items', async () => {
  await table.transact([put('r1', 11), put('r2', 12)]);
  const { requests, on } = counted();
  const read = (name: string) => ({ key: key(name), schema });
  const [one, two, missing] = [read('r1'), read('r2'), read('r3')];
  const [first, second] = await Promise.all([
    on.getMany([one, two], { isConsistent: false }),
    on.getMany([two, missing], { isConsistent: false }),
  ]);
  expect([first.of(one)?.value, first.of(two)?.value]).toEqual([11, 12]);
  expect([second.of(two)?.value, second.of(missing)]).toEqual([12, undefined]);
  expect(requests).toEqual([['BatchGetCommand', 3]]);
  await Promise.all([on.getMany([one]), on.getMany([one])]);
  expect(requests).toHaveLength(3);
});
