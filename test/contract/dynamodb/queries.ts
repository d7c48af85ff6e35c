import { beforeAll, describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import { eventually, type Fields, refusal, type Subject } from './subject.ts';

export function queryContract(subject: () => Subject, test: ContractTest): void {
  describe('queries', () => {
    const KEYS = ['', 'ab', 'abc', 'b', 'Z', 'é', '~', '💌', 'a'].map((suffix) => `k${suffix}`);
    let pk = '';

    beforeAll(async () => {
      pk = subject().fresh();
      await Promise.all(KEYS.map((sk, n) => subject().put({ pk, sk, n, even: n % 2 === 0 })));
    });

    const sorted = KEYS.toSorted((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));
    const keysOf = (items: readonly Fields[] = []) => items.map(({ sk }) => sk);

    test('strings are ordered by their UTF-8 bytes, forwards and backwards', async () => {
      const { query } = subject();
      expect(keysOf((await query('pk = :pk', { ':pk': pk })).Items)).toEqual(sorted);
      const back = await query('pk = :pk', { ':pk': pk }, { ScanIndexForward: false, ConsistentRead: true });
      expect(keysOf(back.Items)).toEqual(sorted.toReversed());
    });

    test.each<[string, Fields, (key: string) => boolean]>([
      ['sk = :a', { ':a': 'kab' }, (key) => key === 'kab'],
      ['sk < :a', { ':a': 'kab' }, (key) => key < 'kab'],
      ['sk <= :a', { ':a': 'kab' }, (key) => key <= 'kab'],
      ['sk > :a', { ':a': 'kab' }, (key) => key > 'kab'],
      ['sk >= :a', { ':a': 'kab' }, (key) => key >= 'kab'],
      [':a <= sk', { ':a': 'kab' }, (key) => key >= 'kab'],
      ['sk BETWEEN :a AND :b', { ':a': 'ka', ':b': 'kb' }, (key) => key >= 'ka' && key <= 'kb'],
      ['begins_with(sk, :a)', { ':a': 'ka' }, (key) => key.startsWith('ka')],
      ['sk > :a', { ':a': 'zz' }, () => false],
    ])('%s with %j', async (condition, values, inside) => {
      const { Items, Count, ScannedCount } = await subject().query(`pk = :pk AND ${condition}`, {
        ':pk': pk,
        ...values,
      });
      expect(keysOf(Items)).toEqual(sorted.filter(inside));
      expect([Count, ScannedCount]).toEqual([Items?.length, Items?.length]);
    });

    test.each([[true], [false]])(
      'pages have no gaps or repetitions (forward: %s)',
      async (ScanIndexForward) => {
        const { query } = subject();
        const seen: unknown[] = [];
        let ExclusiveStartKey: Fields | undefined;
        do {
          const page = await query(
            'pk = :pk',
            { ':pk': pk },
            { Limit: 2, ScanIndexForward, ExclusiveStartKey },
          );
          expect(page.Items?.length).toBeLessThanOrEqual(2);
          seen.push(...keysOf(page.Items));
          ExclusiveStartKey = page.LastEvaluatedKey;
        } while (ExclusiveStartKey && seen.length <= KEYS.length);
        expect(seen).toEqual(ScanIndexForward ? sorted : sorted.toReversed());
      },
    );

    test('the next page starts at the right place even if the last item was deleted', async () => {
      const { query, put, remove, fresh } = subject();
      const partition = fresh();
      for (const sk of ['1', '2', '3']) await put({ pk: partition, sk });
      const { LastEvaluatedKey } = await query('pk = :pk', { ':pk': partition }, { Limit: 2 });
      expect(LastEvaluatedKey).toEqual({ pk: partition, sk: '2' });
      await remove({ pk: partition, sk: '2' });
      const rest = await query(
        'pk = :pk',
        { ':pk': partition },
        { ExclusiveStartKey: LastEvaluatedKey, ConsistentRead: true },
      );
      expect(keysOf(rest.Items)).toEqual(['3']);
    });

    test('a scan finds the items of all partitions, page by page, and filters also by their keys', async () => {
      const { scan, put, fresh } = subject();
      const beginning = fresh();
      const partitions = ['1', '2', '3'].map((n) => `${beginning}${n}`);
      for (const one of partitions) for (const sk of ['a', 'b']) await put({ pk: one, sk });
      const seen: string[] = [];
      let ExclusiveStartKey: Fields | undefined;
      do {
        const page = await scan({
          ...{ Limit: 4, ExclusiveStartKey, ConsistentRead: true },
          FilterExpression: 'sk = :b AND begins_with(pk, :beginning)',
          ExpressionAttributeValues: { ':b': 'b', ':beginning': beginning },
        });
        expect(page.ScannedCount).toBeLessThanOrEqual(4);
        seen.push(...(page.Items ?? []).map((item) => String(item.pk)));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
      expect(seen.toSorted()).toEqual(partitions);
    });

    test('a filter applies after the limit', async () => {
      const { query } = subject();
      const all = await query('pk = :pk', { ':pk': pk, ':yes': true }, { FilterExpression: 'even = :yes' });
      expect([all.Count, all.ScannedCount]).toEqual([5, 9]);
      const none = await query('pk = :pk', { ':pk': pk, ':n': 99 }, { FilterExpression: 'n = :n', Limit: 3 });
      expect([none.Items, none.ScannedCount, none.LastEvaluatedKey]).toEqual([[], 3, { pk, sk: sorted[2] }]);
    });

    test('a projection selects attributes and map members', async () => {
      const { put, query, fresh } = subject();
      const partition = fresh();
      await put({ pk: partition, sk: 'a', map: { a: 1, b: { c: 2, d: 3 } }, n: 0, extra: 1 });
      const { Items } = await query(
        'pk = :pk',
        { ':pk': partition },
        { ProjectionExpression: '#m.b.c, n, absent', ExpressionAttributeNames: { '#m': 'map' } },
      );
      expect(Items).toEqual([{ map: { b: { c: 2 } }, n: 0 }]);
    });

    test('a page ends at 1 MB', async () => {
      const { query, put, fresh } = subject();
      const partition = fresh();
      await Promise.all(
        [1, 2, 3, 4].map((n) => put({ pk: partition, sk: String(n), x: 'x'.repeat(350 * 1024) })),
      );
      const first = await query('pk = :pk', { ':pk': partition }, { ConsistentRead: true });
      expect([2, 3]).toContain(first.Count);
      const second = await query(
        'pk = :pk',
        { ':pk': partition },
        { ExclusiveStartKey: first.LastEvaluatedKey, ConsistentRead: true },
      );
      expect((first.Count ?? 0) + (second.Count ?? 0)).toBe(4);
    });

    test.each<[string, Fields, object, RegExp]>([
      ['sk = :a', { ':a': 'x' }, {}, /missed key schema element: pk/],
      ['pk > :a', { ':a': 'x' }, {}, /key condition not supported/],
      ['pk = :a AND n = :b', { ':a': 'x', ':b': 1 }, {}, /missed key schema element: sk/],
      ['pk = :a AND sk > :a AND sk < :b', { ':a': 'x', ':b': 'y' }, {}, /one condition per key/],
      ['pk = :a OR sk = :a', { ':a': 'x' }, {}, /Invalid operator used in KeyConditionExpression: OR/],
      ['pk = :a AND sk <> :a', { ':a': 'x' }, {}, /[Oo]perator/],
      ['pk = :a AND sk BETWEEN :b AND :a', { ':a': 'a', ':b': 'b' }, {}, /upper bound/],
      ['pk = :a', { ':a': 1 }, {}, /type does not match schema type/],
      ['pk = :a', { ':a': 'x', ':b': 1 }, { FilterExpression: 'sk = :b' }, /non-primary key attributes/],
      [
        'pk = :a',
        { ':a': 'x' },
        { FilterExpression: 'team.a = :a' },
        /Key attributes must be scalars.*: IndexKey: team/,
      ],
      ['pk = :a', { ':a': 'x' }, { IndexName: 'no-such-index' }, /specified index/],
      [
        'keeper = :a',
        { ':a': 'x' },
        { IndexName: 'keepers', ConsistentRead: true },
        /Consistent reads are not supported/,
      ],
      ['pk = :a', { ':a': 'x' }, { ExclusiveStartKey: { pk: 'x' } }, /starting key/i],
      ['pk = :a', { ':a': 'x' }, { ExclusiveStartKey: { pk: 'y', sk: 'z' } }, /starting key/],
      ['pk = :a', { ':a': 'x' }, { Limit: 0 }, /limit/],
      ['pk = :a AND begins_with(sk, :b)', { ':a': 'x', ':b': '' }, {}, /empty string value. Key: sk/],
      ['pk = :a AND sk BETWEEN :b AND :a', { ':a': 'x', ':b': '' }, {}, /empty string value. Key: sk/],
      ['pk = :a', { ':a': '' }, {}, /empty string value. Key: pk/],
    ])('%s with %j and %j is rejected', async (condition, values, more, message) => {
      const error = await refusal(subject().query(condition, values, more));
      expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringMatching(message) });
    });
  });

  describe('indexes', () => {
    test('an index contains the items that have its key, in its order', async () => {
      const { put, query, fresh } = subject();
      const team = fresh();
      const item = (n: number) => ({ pk: `${team}-${n}`, sk: 'i', team, town: `t${9 - n}`, note: 'kept' });
      await Promise.all([1, 2, 3].map((n) => put(item(n))));
      await put({ pk: `${team}-4`, sk: 'i', team, note: 'no town' });
      await eventually(async () => {
        const all = await query('team = :t', { ':t': team }, { IndexName: 'places' });
        expect(all.Items).toEqual([3, 2, 1].map(item));
        const some = await query(
          'team = :t AND town > :u',
          { ':t': team, ':u': 't7' },
          { IndexName: 'places' },
        );
        expect(some.Items).toEqual([item(1)]);
      });
    });

    test('an index is updated if a key changes or is removed, and if the item is deleted', async () => {
      const { put, update, remove, query, fresh } = subject();
      const keeper = fresh();
      const key = { pk: keeper, sk: 'i' };
      const kept = async (name: string) =>
        (await query('keeper = :k', { ':k': name }, { IndexName: 'keepers' })).Count;
      await put({ ...key, keeper });
      await eventually(async () => expect(await kept(keeper)).toBe(1));
      await update(key, 'SET keeper = :k', { ExpressionAttributeValues: { ':k': `${keeper}-2` } });
      await eventually(async () => expect([await kept(keeper), await kept(`${keeper}-2`)]).toEqual([0, 1]));
      await update(key, 'REMOVE keeper');
      await eventually(async () => expect(await kept(`${keeper}-2`)).toBe(0));
      await put({ ...key, keeper });
      await remove(key);
      await eventually(async () => expect(await kept(keeper)).toBe(0));
    });

    test('pages of an index can continue among equal keys', async () => {
      const { put, query, fresh } = subject();
      const keeper = fresh();
      const keys = ['a', 'b', 'c', 'd', 'e'];
      await Promise.all(keys.map((sk) => put({ pk: keeper, sk, keeper })));
      await eventually(async () => {
        const seen: unknown[] = [];
        let ExclusiveStartKey: Fields | undefined;
        do {
          const page = await query(
            'keeper = :k',
            { ':k': keeper },
            { IndexName: 'keepers', Limit: 2, ExclusiveStartKey },
          );
          seen.push(...(page.Items ?? []).map(({ sk }) => sk));
          ExclusiveStartKey = page.LastEvaluatedKey;
          if (ExclusiveStartKey)
            expect(Object.keys(ExclusiveStartKey).sort()).toEqual(['keeper', 'pk', 'sk']);
        } while (ExclusiveStartKey && seen.length <= keys.length);
        expect(seen.sort()).toEqual(keys);
      });
    });
  });
}
