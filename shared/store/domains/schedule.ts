/** Which domains are to be checked when, and who is at it: kept with the domain, read through the index of due ones. */
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { domainKey, dueShardKey } from '../keys.ts';
import { conditionFailed, type Table } from '../table.ts';

/** A domain that is due since `dueAt` (ISO form), which names the turn: of each turn there is one check. */
export interface DueDomain {
  readonly organization: string;
  readonly id: string;
  readonly dueAt: string;
}

export type ScheduleStore = ReturnType<typeof scheduleStore>;

/** Later than any time: the lease on a turn that is done. */
const DONE = 'done';

export function scheduleStore(table: Table) {
  return {
    /** The domains of one shard that are due at `now`, longest first, at most `limit`. */
    async due(shard: number, now: Date, limit: number): Promise<DueDomain[]> {
      const { Items = [] } = await table.client.send(
        new QueryCommand({
          TableName: table.name,
          IndexName: 'gsi1',
          KeyConditionExpression: 'gsi1pk = :shard AND gsi1sk <= :now',
          ExpressionAttributeValues: { ':shard': dueShardKey(shard), ':now': now.toISOString() },
          Limit: limit,
        }),
      );
      return Items.map(({ organization, id, gsi1sk }) => ({ organization, id, dueAt: gsi1sk }));
    },

    /** Notes when a domain is due next, unless somebody has done so since it was found due. */
    async postpone(due: DueDomain, next: Date): Promise<void> {
      await update(due, {
        set: 'gsi1sk = :next',
        when: 'gsi1sk = :due',
        values: { ':next': next.toISOString(), ':due': due.dueAt },
      });
    },

    /**
     * Takes a turn for `leaseSeconds`. Returns false where it is done, somebody else is at it, a later one was taken,
     * or the domain is gone. A turn whose lease ran out was left by a crash, and may be taken again.
     */
    async take(due: DueDomain, now: Date, leaseSeconds: number): Promise<boolean> {
      const until = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
      return update(due, {
        set: 'turn = :turn, turnUntil = :until',
        when: 'attribute_exists(pk) AND (attribute_not_exists(turn) OR turn < :turn OR (turn = :turn AND turnUntil < :now))',
        values: { ':turn': due.dueAt, ':until': until, ':now': now.toISOString() },
      });
    },

    /** Notes that a turn is done. */
    async finish(due: DueDomain): Promise<void> {
      await update(due, {
        set: 'turnUntil = :done',
        when: 'turn = :turn',
        values: { ':done': DONE, ':turn': due.dueAt },
      });
    },
  };

  /** Changes a domain's item under a condition; returns whether it held. */
  async function update(
    { organization, id }: DueDomain,
    { set, when, values }: { set: string; when: string; values: Record<string, string> },
  ): Promise<boolean> {
    try {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: domainKey(organization, id),
          UpdateExpression: `SET ${set}`,
          ConditionExpression: when,
          ExpressionAttributeValues: values,
        }),
      );
      return true;
    } catch (error) {
      if (conditionFailed(error)) return false;
      throw error;
    }
  }
}
