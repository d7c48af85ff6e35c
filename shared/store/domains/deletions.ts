/** Deletions of removed domains: empties their partitions in batches. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { MAX_BATCH, writeBatch } from '../batch-write.ts';
import { type Item, parseItem } from '../item-schema.ts';
import { deletionKey, domainPartition, reportMailsOf } from '../keys.ts';
import { mailItem } from '../reports/mail-outcomes.ts';
import type { Table } from '../table.ts';

/** The object that holds a mail, and the other report mailboxes that received it. */
const keptMail = z.pick(mailItem, { rawKey: true, alsoFor: true });

type KeptMail = Readonly<z.infer<typeof keptMail>>;

const deletionItem = z.object({ id: z.string() });

export type DeletionStore = ReturnType<typeof deletionStore>;

const PAGE = 500;

/** The message of the queue `deletions`: a domain that was removed. */
export const deletionMessage = z.object({ domainId: z.string() });

export type DeletionMessage = Readonly<z.infer<typeof deletionMessage>>;

export function deletionStore(table: Table) {
  return {
    /** The ids of domains that were removed before `until` and whose deletion is not finished. */
    async unfinished(until: Date): Promise<string[]> {
      const query = {
        KeyConditionExpression: 'pk = :pk',
        FilterExpression: 'requestedAt < :until',
        ExpressionAttributeValues: { ':pk': deletionKey('').pk, ':until': until.toISOString() },
      };
      return (await table.query(query, deletionItem)).map(({ id }) => id);
    },

    /**
     * Deletes everything in a removed domain's partition, until it is empty or `remainingMilliseconds` is short. Passes
     * each mail to `release` first, so that objects outside the table are deleted too. Returns whether the partition is
     * empty. Safe to repeat and to run concurrently.
     */
    async drain(
      id: string,
      remainingMilliseconds: () => number,
      release: (mail: KeptMail) => Promise<void> = async () => {},
    ): Promise<boolean> {
      if ((await table.get(deletionKey(id), deletionItem)) === undefined) return true;
      while (remainingMilliseconds() > 5_000) {
        const { Items = [] } = await table.client.send(
          new QueryCommand({
            TableName: table.name,
            KeyConditionExpression: 'pk = :pk',
            ProjectionExpression: 'pk, sk, rawKey, alsoFor',
            ExpressionAttributeValues: { ':pk': domainPartition(id) },
            ConsistentRead: true,
            Limit: PAGE,
          }),
        );
        if (Items.length === 0) {
          await table.delete(deletionKey(id));
          return true;
        }
        for (let at = 0; at < Items.length; at += MAX_BATCH) {
          const batch = Items.slice(at, at + MAX_BATCH);
          await Promise.all(batch.filter(isMail).map((item) => release(parseItem(item, keptMail))));
          await writeBatch(
            table,
            batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
          );
        }
      }
      return false;
    },
  };

  function isMail({ sk }: Item): boolean {
    return String(sk).startsWith(reportMailsOf('').prefix);
  }
}
