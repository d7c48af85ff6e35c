/** Rate limits: one item per limit and caller, each decision one conditional write. */
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { rateKey, rateWindowKey } from './keys.ts';
import { conditionFailed, type Table } from './table.ts';

/** `retryAfter` is in milliseconds: when the next request of this caller can pass. */
export type RateDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfter: number };

export type RateStore = ReturnType<typeof rateStore>;

/** How often a decision is made anew when another request of the same caller came between. */
const ATTEMPTS = 10;

export function rateStore(table: Table) {
  return {
    /**
     * A sliding window that is exact under concurrency: never more than `limit` passes in any `windowMilliseconds`.
     * The item holds the times of the last passes, and is replaced only as it was read; for small limits.
     */
    async exact(
      what: string,
      who: string,
      { limit, windowMilliseconds }: { limit: number; windowMilliseconds: number },
      now: Date,
    ): Promise<RateDecision> {
      const Key = rateKey(what, who);
      const time = now.getTime();
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const { Item } = await table.client.send(
          new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
        );
        const revision: number = Item?.revision ?? 0;
        const passes: number[] = (Item?.passes ?? []).filter(
          (pass: number) => pass > time - windowMilliseconds,
        );
        if (passes.length >= limit) {
          // What passed by a clock that is ahead of ours is no older than now.
          const oldest = Math.min(...passes, time);
          return { allowed: false, retryAfter: oldest + windowMilliseconds - time };
        }
        try {
          await table.client.send(
            new PutCommand({
              TableName: table.name,
              Item: {
                ...Key,
                revision: revision + 1,
                passes: [...passes, time].sort((a, b) => a - b),
                expiresAt: Math.ceil((time + windowMilliseconds) / 1000) + 1,
              },
              ConditionExpression: revision === 0 ? 'attribute_not_exists(pk)' : 'revision = :revision',
              ...(revision === 0 ? {} : { ExpressionAttributeValues: { ':revision': revision } }),
            }),
          );
          return { allowed: true };
        } catch (error) {
          if (!conditionFailed(error)) throw error;
        }
      }
      // So many requests at once that none of ours got through: that alone is too many.
      return { allowed: false, retryAfter: 1000 };
    },

    /**
     * A limit cheap enough for every request: one write and half a read. Two neighbouring windows are counted, the
     * older one by the share of it that lies within the last `windowMilliseconds`; a `limit` of 0 is no limit.
     */
    async counted(
      what: string,
      who: string,
      { limit, windowMilliseconds }: { limit: number; windowMilliseconds: number },
      now: Date,
    ): Promise<RateDecision> {
      if (limit === 0) return { allowed: true };
      const window = Math.floor(now.getTime() / windowMilliseconds);
      const [current, before] = await Promise.all([
        table.client.send(
          new UpdateCommand({
            TableName: table.name,
            Key: rateWindowKey(what, who, window),
            UpdateExpression: 'ADD requests :one SET expiresAt = :expiresAt',
            ExpressionAttributeValues: {
              ':one': 1,
              ':expiresAt': Math.ceil(((window + 2) * windowMilliseconds) / 1000),
            },
            ReturnValues: 'UPDATED_NEW',
          }),
        ),
        table.client.send(
          new GetCommand({ TableName: table.name, Key: rateWindowKey(what, who, window - 1) }),
        ),
      ]);
      const count: number = current.Attributes?.requests ?? 0;
      const previous: number = before.Item?.requests ?? 0;
      const elapsed = (now.getTime() % windowMilliseconds) / windowMilliseconds;
      if (count + previous * (1 - elapsed) <= limit) return { allowed: true };
      // The older window fades as time passes; where this one alone is over the limit, only its end helps.
      const fadedAt = count <= limit ? 1 - (limit - count) / previous : 1;
      return { allowed: false, retryAfter: (fadedAt - elapsed) * windowMilliseconds };
    },

    /** Whether `limit` was counted in the present window, by `counted`; counts nothing itself. */
    async isSpent(
      what: string,
      who: string,
      { limit, windowMilliseconds }: { limit: number; windowMilliseconds: number },
      now: Date,
    ): Promise<boolean> {
      const Key = rateWindowKey(what, who, Math.floor(now.getTime() / windowMilliseconds));
      const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key }));
      return Number(Item?.requests ?? 0) >= limit;
    },
  };
}
