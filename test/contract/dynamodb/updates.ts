import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { type Fields, refusal, type Subject } from './subject.ts';

export function updateContract(subject: () => Subject, test: ContractTest): void {
  const start: Fields = {
    n: 5,
    s: 'text',
    places: ['p', 'q', 'r', 's'],
    chart: { a: 1, b: { c: 2 } },
  };

  describe('updates', () => {
    test.each<[string, Fields | undefined, Fields]>([
      ['SET n = :v', { ':v': 1 }, { n: 1 }],
      ['set n = n + :v', { ':v': 0.5 }, { n: 5.5 }],
      ['SET chart.b.d = :v', { ':v': 3 }, { chart: { a: 1, b: { c: 2, d: 3 } } }],
      ['SET s = n, n = chart.a', undefined, { s: 5, n: 1 }],
      ['REMOVE s, chart.b', undefined, { s: undefined, chart: { a: 1 } }],
      ['ADD n :v, hits :v', { ':v': 3 }, { n: 8, hits: 3 }],
      ['SET s = :v REMOVE n ADD hits :one', { ':v': '', ':one': 1 }, { s: '', n: undefined, hits: 1 }],
    ])('%s', async (expression, values, changes) => {
      const { put, update, get, fresh } = subject();
      const key = { pk: fresh(), sk: 'u' };
      await put({ ...key, ...start });
      const { Attributes } = await update(key, expression, {
        ExpressionAttributeValues: values,
        ReturnValues: 'ALL_NEW',
      });
      const expected = Object.fromEntries(
        Object.entries({ ...key, ...start, ...changes }).filter(([, value]) => value !== undefined),
      );
      expect(Attributes).toEqual(expected);
      expect((await get(key)).Item).toEqual(expected);
    });

    test.each<[string, Fields | undefined, RegExp]>([
      ['SET absent = nowhere', undefined, /does not exist in the item/],
      ['SET s = s + :v', { ':v': 1 }, /incorrect data type/],
      ['SET s = :v + n', { ':v': 'x' }, /Incorrect operand type/],
      ['ADD s :v', { ':v': 1 }, /incorrect data type/],
      ['ADD places :v', { ':v': [1] }, /Incorrect operand type/],
      ['SET nowhere.a = :v', { ':v': 1 }, /document path .* invalid/],
      ['REMOVE nowhere.a', undefined, /document path .* invalid/],
      ['SET s = pk.a', undefined, /Key attributes must be scalars.*: Key: pk/],
      ['SET team.a = :v', { ':v': 1 }, /Key attributes must be scalars.*: IndexKey: team/],
      ['SET s = :v', { ':v': { '': 1 } }, /Empty attribute name/],
      ['SET pk = :v', { ':v': 'x' }, /part of the key/],
      ['SET town = :v', { ':v': 1 }, /Type mismatch for Index Key/i],
      ['SET n = :v, n = :w', { ':v': 1, ':w': 2 }, /overlap/],
      ['SET chart.a = :v REMOVE chart', { ':v': 1 }, /overlap/],
      ['SET n = :v SET s = :v', { ':v': 1 }, /only be used once/],
      ['SET status = :v', { ':v': 1 }, /reserved keyword: status/],
      ['SET n = :v', { ':v': 1, ':w': 2 }, /unused in expressions: keys: \{:w\}/],
      ['SET n = :v', undefined, /not defined; attribute value: :v/],
      ['SET #n = :v', { ':v': 1 }, /not defined; attribute name: #n/],
      ['SET n = n + :v + :v', { ':v': 1 }, /Syntax error/],
      ['SET _n = :v', { ':v': 1 }, /Syntax error/],
      ['', undefined, /can not be empty/],
      ['REMOVE n', {}, /must not be empty/],
    ])('%s is rejected', async (expression, values, message) => {
      const { put, update, get, fresh } = subject();
      const key = { pk: fresh(), sk: 'u' };
      await put({ ...key, ...start });
      const error = await refusal(update(key, expression, { ExpressionAttributeValues: values }));
      expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringMatching(message) });
      expect((await get(key)).Item).toEqual({ ...key, ...start });
    });

    test('an update creates a missing item, unless it only removes attributes', async () => {
      const { update, get, fresh } = subject();
      const pk = fresh();
      await update({ pk, sk: 'set' }, 'SET n = :v', { ExpressionAttributeValues: { ':v': 1 } });
      await update({ pk, sk: 'nothing' }, undefined);
      await update({ pk, sk: 'removed' }, 'REMOVE n');
      expect((await get({ pk, sk: 'set' })).Item).toEqual({ pk, sk: 'set', n: 1 });
      expect((await get({ pk, sk: 'nothing' })).Item).toEqual({ pk, sk: 'nothing' });
      expect((await get({ pk, sk: 'removed' })).Item).toBeUndefined();
    });

    test('a removal inside a map is rejected if there is no item', async () => {
      const { update, fresh } = subject();
      expect(await refusal(update({ pk: fresh(), sk: 'none' }, 'REMOVE chart.a.b'))).toMatchObject({
        name: 'ValidationException',
        message: expect.stringMatching(/document path .* invalid/),
      });
    });

    test('a failed condition changes nothing', async () => {
      const { put, update, remove, get, fresh } = subject();
      const item = { pk: fresh(), sk: 'u', n: 1 };
      const key = { pk: item.pk, sk: item.sk };
      await put(item);
      const never = { ConditionExpression: 'n > :ten', ExpressionAttributeValues: { ':ten': 10 } };
      for (const request of [
        () => put({ ...key, n: 2 }, never),
        () => remove(key, never),
        () => update(key, 'SET n = :ten', never),
      ]) {
        expect(await refusal(request())).toMatchObject({
          name: 'ConditionalCheckFailedException',
          message: 'The conditional request failed',
          $metadata: { httpStatusCode: 400 },
        });
      }
      expect((await get(key)).Item).toEqual(item);
    });

    test('an update cannot make an item larger than 400 KB', async () => {
      const { put, update, fresh } = subject();
      const key = { pk: fresh(), sk: 'u' };
      await put({ ...key, a: 'x'.repeat(300 * 1024) });
      const error = await refusal(update(key, 'SET b = a'));
      expect(error).toMatchObject({
        name: 'ValidationException',
        message: expect.stringMatching(/maximum allowed size/),
      });
    });
  });
}
