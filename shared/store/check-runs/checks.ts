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
  /** The score at that time, for the usage type at that time. */
  readonly score?: number | null;
}

/**
 * Check results with their scores. The scores are copied to the domain item, so that reading a score does not read all
 * results.
 */
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
     * Stores `checks` as the latest results of `domain`, unless the domain is gone or later results are stored. With
     * `replacing`, stores them only if the latest results are the given ones, together with the writes derived from
     * those. Results are compressed: a deep SPF tree is repetitive, and an item holds at most 400 KB.
     */
    async keep(
      domain: Domain,
      { checkedAt, results, score, scores }: ScoredChecks,
      replacing?: { readonly of: StoredChecks | undefined; readonly writes: TransactItems },
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
              ...(replacing === undefined ? notOlder(checkedAt) : inPlaceOf(replacing.of)),
            },
          },
          ...(replacing?.writes ?? []),
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
