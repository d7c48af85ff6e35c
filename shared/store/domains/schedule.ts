/**
 * The schedule of checks: when each domain is due and which worker claimed it. Stored in the domain item and read
 * through the index of due domains.
 */

import * as z from 'zod/mini';
import { changing, having } from '../changes.ts';
import { dueAfter, dueBy } from '../due-index.ts';
import { DUE_SHARDS, domainKey, domainsDueBy } from '../keys.ts';
import type { Table } from '../table.ts';
import { latestTime } from '../wrong-clock.ts';

/** A domain that is due since `dueAt` (ISO form). `dueAt` identifies the turn: each turn has one check run. */
const dueItem = z.pipe(
  z.object({ organization: z.string(), id: z.string(), gsi1sk: z.string() }),
  z.transform(({ gsi1sk, ...domain }) => ({ ...domain, dueAt: gsi1sk })),
);

export type DueDomain = Readonly<z.infer<typeof dueItem>>;

/** Sorts after every time, so the lease of a finished turn never expires. */
const DONE = 'done';

export function scheduleStore(table: Table) {
  return {
    /** The domains of one shard that are due at `now`, oldest due time first, at most `limit`. */
    async due(shard: number, now: Date, limit: number): Promise<DueDomain[]> {
      return dueBy(table, domainsDueBy(shard, now.toISOString()), dueItem, limit);
    },

    /**
     * The domains of one shard that are due later than a right clock can have planned at `now`, furthest ahead first, at
     * most `limit`. @param longestMilliseconds How far ahead a check is planned at most.
     */
    async tooFarAhead(
      shard: number,
      { now, longestMilliseconds, limit }: { now: Date; longestMilliseconds: number; limit: number },
    ): Promise<DueDomain[]> {
      return dueAfter(table, domainsDueBy(shard, latestTime(now, longestMilliseconds)), dueItem, limit);
    },

    /**
     * How many domains of an organization are due. Reads at most `limit` due domains of each shard, of all organizations;
     * `hasMore` tells that there may be more.
     */
    async dueOf(
      organization: string,
      now: Date,
      limit: number,
    ): Promise<{ readonly count: number; readonly hasMore: boolean }> {
      const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => this.due(shard, now, limit));
      const read = await Promise.all(shards);
      return {
        count: read.flat().filter((due) => due.organization === organization).length,
        hasMore: read.some((due) => due.length === limit),
      };
    },

    /** Sets when a domain is due next, unless another sweep did so since the domain was read. */
    async postpone(due: DueDomain, next: Date): Promise<void> {
      const change = changing({ gsi1sk: next.toISOString() }, having({ gsi1sk: due.dueAt }));
      await table.update(keyOf(due), change);
    },

    /**
     * Claims a turn for `leaseSeconds`. Returns false if the turn is done, another worker holds it, a later turn was
     * claimed, or the domain is gone. A turn with an expired lease was interrupted and can be claimed again. A turn or a
     * lease from a wrong clock does not keep others from being claimed.
     */
    async claim(due: DueDomain, now: Date, leaseSeconds: number): Promise<boolean> {
      const leaseMilliseconds = leaseSeconds * 1000;
      const until = new Date(now.getTime() + leaseMilliseconds).toISOString();
      const isFree = {
        ConditionExpression: `attribute_exists(pk) AND (attribute_not_exists(turn) OR turn < :turn OR (turn > :latest AND turn <> :turn)
          OR (turn = :turn AND (turnUntil < :now OR (turnUntil > :latestLease AND turnUntil < :done))))`,
        ExpressionAttributeValues: {
          ...{ ':now': now.toISOString(), ':done': DONE },
          ...{ ':latest': latestTime(now), ':latestLease': latestTime(now, leaseMilliseconds) },
        },
      };
      return table.update(keyOf(due), changing({ turn: due.dueAt, turnUntil: until }, isFree));
    },

    /** Marks a turn as done. */
    async finish(due: DueDomain): Promise<void> {
      await table.update(keyOf(due), changing({ turnUntil: DONE }, having({ turn: due.dueAt })));
    },
  };
}

const keyOf = ({ organization, id }: DueDomain) => domainKey(organization, id);
