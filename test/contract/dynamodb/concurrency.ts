import { describe, expect } from '@jest/globals';
import type { ContractTest } from './contract-test.ts';
import type { Subject } from './subject.ts';

export function concurrencyContract(subject: () => Subject, test: ContractTest): void {
  describe('concurrent requests', () => {
    test('200 additions to one number are all applied', async () => {
      const { update, get, fresh } = subject();
      const key = { pk: fresh(), sk: 'n' };
      const one = { ExpressionAttributeValues: { ':one': 1 } };
      await Promise.all(Array.from({ length: 200 }, () => update(key, 'ADD n :one', one)));
      expect((await get(key)).Item?.n).toBe(200);
    });

    test('exactly one of 50 conditional puts succeeds', async () => {
      const { put, get, fresh } = subject();
      const key = { pk: fresh(), sk: 'first' };
      const condition = { ConditionExpression: 'attribute_not_exists(pk)' };
      const results = await Promise.allSettled(
        Array.from({ length: 50 }, (_, who) => put({ ...key, who }, condition).then(() => who)),
      );
      const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(winners).toHaveLength(1);
      expect((await get(key)).Item?.who).toBe(winners[0]);
    });

    test('transfers between accounts keep the sum, and each one is recorded', async () => {
      const { transact, put, query, fresh, table: TableName } = subject();
      const pk = fresh();
      const accounts = [0, 1, 2, 3, 4].map((n) => `account-${n}`);
      await Promise.all(accounts.map((sk) => put({ pk, sk, n: 20 })));
      const move = (sk: string, n: number) => ({
        Update: {
          TableName,
          Key: { pk, sk },
          UpdateExpression: 'ADD n :n',
          ConditionExpression: 'n >= :least',
          ExpressionAttributeValues: { ':n': n, ':least': Math.max(0, -n) },
        },
      });
      let done = 0;
      const transfer = async (worker: number, round: number): Promise<void> => {
        const from = accounts[(worker + round) % 5] ?? '';
        const to = accounts[(worker * 2 + round * 3 + 1) % 5] ?? '';
        if (from === to) return;
        const amount = 1 + ((worker * 7 + round) % 9);
        const book = { Put: { TableName, Item: { pk, sk: `book-${worker}-${round}`, amount } } };
        try {
          await transact([move(from, -amount), move(to, amount), book]);
          done += 1;
        } catch (error) {
          // The account has too little, or, on AWS, there is a conflict with another transfer.
          if ((error as Error).name !== 'TransactionCanceledException') throw error;
        }
      };
      await Promise.all(
        Array.from({ length: 8 }, async (_, worker) => {
          for (let round = 0; round < 15; round += 1) await transfer(worker, round);
        }),
      );
      const { Items = [] } = await query('pk = :pk', { ':pk': pk }, { ConsistentRead: true });
      const balances = Items.filter(({ sk }) => String(sk).startsWith('account')).map(({ n }) => Number(n));
      expect(balances.reduce((sum, n) => sum + n, 0)).toBe(100);
      expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
      expect(done).toBeGreaterThan(0);
      expect(Items).toHaveLength(accounts.length + done);
    });
  });
}
