import { QueryCommand } from '@aws-sdk/lib-dynamodb';
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

    test('numbers are ordered by value', async () => {
      const { sdk, numberTable, fresh } = subject();
      const partition = fresh();
      const values = [0, -1, 1, 10, 9, -10, 0.5, -0.25, 1e-7, 123456789, 2, 100];
      const { PutCommand } = await import('@aws-sdk/lib-dynamodb');
      await Promise.all(
        values.map((n) => sdk.send(new PutCommand({ TableName: numberTable, Item: { pk: partition, n } }))),
      );
      const ordered = values.toSorted((one, two) => one - two);
      const read = (condition: string, more: Fields = {}) =>
        sdk.send(
          new QueryCommand({
            TableName: numberTable,
            KeyConditionExpression: `pk = :pk${condition}`,
            ExpressionAttributeValues: { ':pk': partition, ...more },
          }),
        );
      expect((await read('')).Items?.map(({ n }) => n)).toEqual(ordered);
      expect(
        (await read(' AND n BETWEEN :a AND :b', { ':a': -1, ':b': 9.5 })).Items?.map(({ n }) => n),
      ).toEqual(ordered.filter((n) => n >= -1 && n <= 9.5));
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

    test('a filter applies after the limit', async () => {
      const { query } = subject();
      const all = await query('pk = :pk', { ':pk': pk, ':yes': true }, { FilterExpression: 'even = :yes' });
      expect([all.Count, all.ScannedCount]).toEqual([5, 9]);
      const none = await query('pk = :pk', { ':pk': pk, ':n': 99 }, { FilterExpression: 'n = :n', Limit: 3 });
      expect([none.Items, none.ScannedCount, none.LastEvaluatedKey]).toEqual([[], 3, { pk, sk: sorted[2] }]);
    });

    test('COUNT returns no items, and a projection selects attributes', async () => {
      const { query } = subject();
      const counted = await query('pk = :pk', { ':pk': pk }, { Select: 'COUNT' });
      expect([counted.Count, counted.Items]).toEqual([9, undefined]);
      const picked = await query(
        'pk = :pk AND sk = :sk',
        { ':pk': pk, ':sk': 'k' },
        { ProjectionExpression: 'n, absent' },
      );
      expect(picked.Items).toEqual([{ n: 0 }]);
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
      [
        'pk = :a AND contains(sk, :a)',
        { ':a': 'x' },
        {},
        /Invalid operator used in KeyConditionExpression: contains/,
      ],
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
        { IndexName: 'keys', ConsistentRead: true },
        /Consistent reads are not supported/,
      ],
      [
        'keeper = :a',
        { ':a': 'x' },
        { IndexName: 'keys', Select: 'ALL_ATTRIBUTES' },
        /ALL_ATTRIBUTES is not supported/,
      ],
      ['keeper = :a', { ':a': 'x' }, { IndexName: 'keys', ProjectionExpression: 'note' }, /does not project/],
      ['pk = :a', { ':a': 'x' }, { ExclusiveStartKey: { pk: 'x' } }, /starting key/i],
      ['pk = :a', { ':a': 'x' }, { ExclusiveStartKey: { pk: 'y', sk: 'z' } }, /starting key/],
      ['pk = :a', { ':a': 'x' }, { Limit: 0 }, /limit/],
    ])('%s with %j and %j is rejected', async (condition, values, more, message) => {
      const error = await refusal(subject().query(condition, values, more));
      expect(error).toMatchObject({ name: 'ValidationException', message: expect.stringMatching(message) });
    });
  });

  describe('indexes', () => {
    test('an index contains the items that have its key, in its order, with the projected attributes', async () => {
      const { put, query, fresh } = subject();
      const team = fresh();
      const item = (n: number) => ({
        pk: `${team}-${n}`,
        sk: 'i',
        team,
        score: -n,
        town: `t${n}`,
        note: 'kept',
        extra: 1,
      });
      await Promise.all([1, 2, 3].map((n) => put({ ...item(n), keeper: team })));
      await put({ pk: `${team}-4`, sk: 'i', team, note: 'no score, no town' });
      await eventually(async () => {
        const all = await query('team = :t', { ':t': team }, { IndexName: 'all' });
        expect(all.Items).toEqual([3, 2, 1].map((n) => ({ ...item(n), keeper: team })));
        const some = await query(
          'team = :t AND town > :u',
          { ':t': team, ':u': 't1' },
          { IndexName: 'some' },
        );
        const { score: _score, extra: _extra, ...held } = item(2);
        expect(some.Items?.[0]).toEqual(held);
        const keys = await query('keeper = :t', { ':t': team }, { IndexName: 'keys' });
        expect(new Set(keys.Items)).toEqual(
          new Set([1, 2, 3].map((n) => ({ pk: `${team}-${n}`, sk: 'i', keeper: team }))),
        );
      });
    });

    test('an index is updated if a key changes or is removed, and if the item is deleted', async () => {
      const { put, update, remove, query, fresh } = subject();
      const keeper = fresh();
      const key = { pk: keeper, sk: 'i' };
      const kept = async (name: string) =>
        (await query('keeper = :k', { ':k': name }, { IndexName: 'keys' })).Count;
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
            { IndexName: 'keys', Limit: 2, ExclusiveStartKey },
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
