import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { type Fields, refusal, type Subject } from './subject.ts';

export function transactionContract(subject: () => Subject, test: ContractTest): void {
  describe('transactions', () => {
    const put = (Item: Fields, more: object = {}) => ({ Put: { TableName: subject().table, Item, ...more } });
    const add = (Key: Fields, n: number, more: object = {}) => ({
      Update: {
        TableName: subject().table,
        Key,
        UpdateExpression: 'ADD n :n',
        ExpressionAttributeValues: { ':n': n },
        ...more,
      },
    });
    const codes = (error: Fields) =>
      (error.CancellationReasons as { Code: string }[]).map(({ Code }) => Code);

    test('puts, updates, deletes and checks are applied together', async () => {
      const { transact, get, put: putItem, fresh, table } = subject();
      const pk = fresh();
      await putItem({ pk, sk: 'gone' });
      await transact([
        put({ pk, sk: 'new', x: 1 }, { ConditionExpression: 'attribute_not_exists(pk)' }),
        add({ pk, sk: 'count' }, 2),
        {
          Delete: { TableName: table, Key: { pk, sk: 'gone' }, ConditionExpression: 'attribute_exists(pk)' },
        },
        {
          ConditionCheck: {
            TableName: table,
            Key: { pk, sk: 'never' },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ]);
      expect((await get({ pk, sk: 'new' })).Item).toEqual({ pk, sk: 'new', x: 1 });
      expect((await get({ pk, sk: 'count' })).Item).toEqual({ pk, sk: 'count', n: 2 });
      expect((await get({ pk, sk: 'gone' })).Item).toBeUndefined();
      expect((await get({ pk, sk: 'never' })).Item).toBeUndefined();
    });

    test('one failed condition cancels all actions; each gets a reason', async () => {
      const { transact, get, put: putItem, fresh } = subject();
      const pk = fresh();
      await putItem({ pk, sk: 'b', n: 7 });
      const error = await refusal(
        transact([
          put({ pk, sk: 'a' }),
          put({ pk, sk: 'b' }, { ConditionExpression: 'attribute_not_exists(pk)' }),
          add({ pk, sk: 'c' }, 1, { ConditionExpression: 'attribute_exists(pk)' }),
        ]),
      );
      expect(error).toMatchObject({
        name: 'TransactionCanceledException',
        message: expect.stringContaining('[None, ConditionalCheckFailed, ConditionalCheckFailed]'),
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [
          { Code: 'None' },
          {
            Code: 'ConditionalCheckFailed',
            Message: 'The conditional request failed',
          },
          { Code: 'ConditionalCheckFailed' },
        ],
      });
      expect((await get({ pk, sk: 'a' })).Item).toBeUndefined();
    });

    test('an invalid action cancels all actions, including earlier ones', async () => {
      const { transact, get, put: putItem, fresh } = subject();
      const pk = fresh();
      await putItem({ pk, sk: 'text', n: 'no number' });
      const error = await refusal(transact([put({ pk, sk: 'a' }), add({ pk, sk: 'text' }, 1)]));
      expect([error.name, codes(error)]).toEqual([
        'TransactionCanceledException',
        ['None', 'ValidationError'],
      ]);
      expect((await get({ pk, sk: 'a' })).Item).toBeUndefined();
    });

    test("an item that does not match the table's keys cancels all actions", async () => {
      const error = await refusal(subject().transact([put({ pk: 'x', sk: 'a' }), put({ pk: 'x', sk: 1 })]));
      expect(codes(error)).toEqual(['None', 'ValidationError']);
    });

    test.each<[string, Fields, RegExp]>([
      ['an empty key', { pk: '', sk: 'a' }, /empty string value/],
      ['more than 400 KB', { pk: 'x', sk: 'a', x: 'x'.repeat(400 * 1024) }, /maximum allowed size/],
    ])('an item with %s causes a validation error for the whole request', async (_, item, message) => {
      const error = await refusal(subject().transact([put(item)]));
      expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringMatching(message) });
    });

    test('a token applies a request only once, and is rejected with a different request', async () => {
      const { transact, get, fresh } = subject();
      const key = { pk: fresh(), sk: 'count' };
      const ClientRequestToken = fresh();
      for (const _ of ['first', 'again']) await transact([add(key, 1)], { ClientRequestToken });
      expect((await get(key)).Item?.n).toBe(1);
      expect(await refusal(transact([add(key, 2)], { ClientRequestToken }))).toMatchObject({
        name: 'IdempotentParameterMismatchException',
      });
      await transact([add(key, 1)]);
      expect((await get(key)).Item?.n).toBe(2);
    });

    test('a token of a cancelled transaction can be used again', async () => {
      const { transact, get, put: putItem, fresh } = subject();
      const key = { pk: fresh(), sk: 'count' };
      const ClientRequestToken = fresh();
      const request = () =>
        transact([add(key, 1, { ConditionExpression: 'attribute_exists(pk)' })], { ClientRequestToken });
      await refusal(request());
      await putItem({ ...key, n: 1 });
      await request();
      expect((await get(key)).Item?.n).toBe(2);
    });

    test.each<[string, () => unknown[], RegExp]>([
      ['no actions', () => [], /length greater than or equal to 1|>=1|at least 1/i],
      [
        '101 actions',
        () => Array.from({ length: 101 }, (_, n) => put({ pk: 'x', sk: `${n}` })),
        /less than or equal to 100/,
      ],
      [
        'two actions on one item',
        () => [put({ pk: 'x', sk: 'a' }), add({ pk: 'x', sk: 'a' }, 1)],
        /multiple operations on one item/,
      ],
      [
        'a syntax error',
        () => [put({ pk: 'x', sk: 'a' }, { ConditionExpression: 'hello!' })],
        /Syntax error/,
      ],
      [
        'an undefined name',
        () => [put({ pk: 'x', sk: 'a' }, { ConditionExpression: 'attribute_exists(#x)' })],
        /#x/,
      ],
    ])('%s causes a validation error for the whole request', async (_, actions, message) => {
      const error = await refusal(subject().transact(actions() as never));
      expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringMatching(message) });
    });

    test('can have 100 actions', async () => {
      const { transact, query, fresh } = subject();
      const pk = fresh();
      await transact(Array.from({ length: 100 }, (_, n) => put({ pk, sk: `${n}` })));
      expect((await query('pk = :pk', { ':pk': pk }, { ConsistentRead: true })).Count).toBe(100);
    });
  });
}
