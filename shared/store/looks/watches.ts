/** What is remembered of each domain for its alerts, written together with the alerts that it leads to. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { AlertDraft } from '../../alerts/alert.ts';
import type { Watch } from '../../alerts/watch.ts';
import type { AlertStore } from '../alerts/alerts.ts';
import type { DomainReference } from '../domains/domains.ts';
import { isRegistered } from '../domains/writes.ts';
import { watchKey } from '../keys.ts';
import { ConditionsFailed, type Table, type TransactItems, transact, unchangedSince } from '../table.ts';

/** `revision` tells whether anybody else wrote in between; 0 before the first look. */
export interface StoredWatch {
  readonly watch: Watch | undefined;
  readonly revision: number;
}

export type WatchStore = ReturnType<typeof watchStore>;

export function watchStore(table: Table, alerts: Pick<AlertStore, 'writesOf'>) {
  return {
    async get(domainId: string): Promise<StoredWatch> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: watchKey(domainId), ConsistentRead: true }),
      );
      if (Item === undefined) return { watch: undefined, revision: 0 };
      return { watch: JSON.parse(gunzipSync(Item.watch).toString('utf8')), revision: Item.revision };
    },

    /**
     * Writes the next state and raises its alerts, all or nothing, so that a change is told once however often and
     * beside whom the look is taken.
     * @returns `conflict` where the state is not the one that was read any more, `gone` where the domain is.
     */
    async keep(
      domain: DomainReference,
      { watch, revision }: { readonly watch: Watch; readonly revision: number },
      drafts: readonly AlertDraft[],
      now: Date,
    ): Promise<'kept' | 'conflict' | 'gone'> {
      const put: TransactItems[number] = {
        Put: {
          TableName: table.name,
          Item: {
            ...watchKey(domain.id),
            revision: revision + 1,
            watch: gzipSync(JSON.stringify(watch)),
          },
          ...unchangedSince(revision),
        },
      };
      const { writes } = await alerts.writesOf(domain, drafts, now);
      try {
        await transact(table, [isRegistered(table, domain), put, ...writes]);
        return 'kept';
      } catch (error) {
        if (!(error instanceof ConditionsFailed)) throw error;
        return error.failed.has(0) ? 'gone' : 'conflict';
      }
    },
  };
}
