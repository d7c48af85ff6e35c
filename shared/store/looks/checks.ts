/** The latest check results of each domain. */

import { gunzipSync, gzipSync } from 'node:zlib';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { CheckResults } from '../../checks/results.ts';
import type { ScoresByUsage } from '../../score/score.ts';
import type { Domain } from '../domains/domains.ts';
import { checksKey, domainKey } from '../keys.ts';
import { ConditionsFailed, type Table, type TransactItems, transact } from '../table.ts';

export interface StoredChecks {
  readonly checkedAt: string;
  readonly results: CheckResults;
  /** The score as it was then, by the usage of then. */
  readonly score?: number | null;
}

/** Checks with their scores, which the domain itself remembers, so that nobody reads all results for a number. */
export interface ScoredChecks extends StoredChecks {
  readonly scores?: ScoresByUsage;
}

export type CheckStore = ReturnType<typeof checkStore>;

export function checkStore(table: Table) {
  return {
    async latest(domainId: string): Promise<StoredChecks | undefined> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: checksKey(domainId), ConsistentRead: true }),
      );
      if (Item === undefined) return undefined;
      return {
        checkedAt: Item.checkedAt,
        results: JSON.parse(gunzipSync(Item.results).toString('utf8')),
        ...(Item.score === undefined ? {} : { score: Item.score }),
      };
    },

    /**
     * Keeps `checks` as the latest of `domain`, unless the domain is gone or newer ones are there already; with
     * `instead`, only in place of the ones that it names, and together with the writes that follow from these.
     * Results are kept compressed: a deep SPF tree repeats itself, and an item holds 400 KB.
     */
    async keep(
      domain: Domain,
      { checkedAt, results, score, scores }: ScoredChecks,
      instead?: { readonly of: StoredChecks | undefined; readonly writes: TransactItems },
    ): Promise<boolean> {
      try {
        await transact(table, [
          {
            Update: {
              TableName: table.name,
              Key: domainKey(domain.organization, domain.id),
              UpdateExpression: 'SET lastCheckedAt = :at, scores = :scores',
              ConditionExpression: 'attribute_exists(pk)',
              ExpressionAttributeValues: { ':at': checkedAt, ':scores': scores ?? null },
            },
          },
          {
            Put: {
              TableName: table.name,
              Item: {
                ...checksKey(domain.id),
                checkedAt,
                results: gzipSync(JSON.stringify(results)),
                score,
              },
              ...(instead === undefined ? notOlder(checkedAt) : inPlaceOf(instead.of)),
            },
          },
          ...(instead?.writes ?? []),
        ]);
        return true;
      } catch (error) {
        if (error instanceof ConditionsFailed) return false;
        throw error;
      }
    },
  };
}

const notOlder = (checkedAt: string) => ({
  ConditionExpression: 'attribute_not_exists(pk) OR checkedAt <= :at',
  ExpressionAttributeValues: { ':at': checkedAt },
});

const inPlaceOf = (before: StoredChecks | undefined) =>
  before === undefined
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : {
        ConditionExpression: 'checkedAt = :before',
        ExpressionAttributeValues: { ':before': before.checkedAt },
      };
