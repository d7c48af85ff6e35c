import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { type Fields, refusal, type Subject } from './subject.ts';

export function updateContract(subject: () => Subject, test: ContractTest): void {
  const start: Fields = {
    n: 5,
    s: 'text',
    folk: new Set(['a', 'b']),
    places: ['p', 'q', 'r', 's'],
    chart: { a: 1, b: { c: 2 } },
  };

  describe('updates', () => {
    test.each<[string, Fields | undefined, Fields]>([
      ['SET n = :v', { ':v': 1 }, { n: 1 }],
      ['set n = n + :v', { ':v': 0.5 }, { n: 5.5 }],
      ['SET n = :v - n', { ':v': 1 }, { n: -4 }],
      ['SET hits = if_not_exists(hits, :zero) + :one', { ':zero': 0, ':one': 1 }, { hits: 1 }],
      ['SET n = if_not_exists(n, :zero)', { ':zero': 0 }, {}],
      ['SET places = list_append(places, :v)', { ':v': ['t'] }, { places: ['p', 'q', 'r', 's', 't'] }],
      ['SET places = list_append(if_not_exists(absent, :v), places)', { ':v': [] }, {}],
      ['SET places[1] = :v, places[9] = :v', { ':v': 'new' }, { places: ['p', 'new', 'r', 's', 'new'] }],
      ['SET chart.b.d = :v', { ':v': 3 }, { chart: { a: 1, b: { c: 2, d: 3 } } }],
      ['SET s = n, n = chart.a', undefined, { s: 5, n: 1 }],
      ['REMOVE s, chart.b', undefined, { s: undefined, chart: { a: 1 } }],
      ['REMOVE places[0], places[2], places[9]', undefined, { places: ['q', 's'] }],
      ['REMOVE places[1] SET places[3] = :v', { ':v': 'x' }, { places: ['p', 'r', 'x'] }],
      ['ADD n :v, hits :v', { ':v': 3 }, { n: 8, hits: 3 }],
      ['ADD folk :v', { ':v': new Set(['b', 'c']) }, { folk: new Set(['a', 'b', 'c']) }],
      ['DELETE folk :v', { ':v': new Set(['b', 'z']) }, { folk: new Set(['a']) }],
      ['DELETE folk :v', { ':v': new Set(['a', 'b']) }, { folk: undefined }],
      [
        'SET s = :v REMOVE n ADD hits :one DELETE folk :set',
        { ':v': '', ':one': 1, ':set': new Set(['a']) },
        { s: '', n: undefined, hits: 1, folk: new Set(['b']) },
      ],
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
      ['ADD folk :v', { ':v': [1] }, /Incorrect operand type/],
      ['DELETE folk :v', { ':v': new Set([1]) }, /incorrect data type/],
      ['SET nowhere.a = :v', { ':v': 1 }, /document path .* invalid/],
      ['SET chart[0] = :v', { ':v': 1 }, /document path .* invalid/],
      ['REMOVE nowhere.a', undefined, /document path .* invalid/],
      ['SET s = pk.a', undefined, /Key attributes must be scalars.*: Key: pk/],
      ['SET team.a = :v', { ':v': 1 }, /Key attributes must be scalars.*: IndexKey: team/],
      ['SET s = :v', { ':v': { '': 1 } }, /Empty attribute name/],
      ['SET pk = :v', { ':v': 'x' }, /part of the key/],
      ['SET score = :v', { ':v': 'x' }, /Type mismatch for Index Key/i],
      ['SET n = :v, n = :w', { ':v': 1, ':w': 2 }, /overlap/],
      ['SET chart.a = :v REMOVE chart', { ':v': 1 }, /overlap/],
      ['SET chart.a = :v, chart[0] = :v', { ':v': 1 }, /conflict/],
      ['SET n = :v SET s = :v', { ':v': 1 }, /only be used once/],
      ['SET status = :v', { ':v': 1 }, /reserved keyword: status/],
      ['SET n = :v', { ':v': 1, ':w': 2 }, /unused in expressions: keys: \{:w\}/],
      ['SET n = :v', undefined, /not defined; attribute value: :v/],
      ['SET #n = :v', { ':v': 1 }, /not defined; attribute name: #n/],
      ['SET n = n + :v + :v', { ':v': 1 }, /Syntax error/],
      ['SET n = LIST_APPEND(places, :v)', { ':v': [] }, /Invalid function name/],
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

    test.each<[NonNullable<Parameters<Subject['update']>[2]>['ReturnValues'], Fields | undefined]>([
      ['NONE', undefined],
      ['ALL_OLD', { n: 5, chart: { a: 1, b: 2 } }],
      ['ALL_NEW', { n: 6, chart: { a: 1, b: 3 }, hits: 1 }],
      ['UPDATED_OLD', { n: 5, chart: { b: 2 } }],
      ['UPDATED_NEW', { n: 6, chart: { b: 3 }, hits: 1 }],
    ])('%s returns %j', async (ReturnValues, expected) => {
      const { put, update, fresh } = subject();
      const key = { pk: fresh(), sk: 'u' };
      await put({ ...key, n: 5, chart: { a: 1, b: 2 } });
      const { Attributes } = await update(key, 'SET n = :six, chart.b = :three ADD hits :one', {
        ExpressionAttributeValues: { ':six': 6, ':three': 3, ':one': 1 },
        ReturnValues,
      });
      expect(Attributes).toEqual(ReturnValues?.startsWith('ALL') ? { ...key, ...expected } : expected);
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

    test('a failed condition changes nothing and returns the item on request', async () => {
      const { put, update, remove, get, fresh } = subject();
      const item = { pk: fresh(), sk: 'u', n: 1 };
      const key = { pk: item.pk, sk: item.sk };
      await put(item);
      const never = { ConditionExpression: 'n > :ten', ExpressionAttributeValues: { ':ten': 10 } };
      const shown = { ...never, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
      for (const request of [() => put({ ...key, n: 2 }, shown), () => remove(key, shown)]) {
        expect(await refusal(request())).toMatchObject({
          name: 'ConditionalCheckFailedException',
          message: 'The conditional request failed',
          $metadata: { httpStatusCode: 400 },
          Item: { pk: { S: item.pk }, sk: { S: 'u' }, n: { N: '1' } },
        });
      }
      const setTen = { ...never, ExpressionAttributeValues: { ':ten': 10 } };
      expect((await refusal(update(key, 'SET n = :ten', setTen))).Item).toBeUndefined();
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
