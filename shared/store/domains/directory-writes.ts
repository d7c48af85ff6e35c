/**
 * The directory of an organization's domains: enough of each to filter and sort them, in few read units. A change of a
 * domain adds an item to the directory in the same transaction. Every second change, chosen by the domain's id, moves the
 * waiting items of its shard into the shard, so that readers find few of them.
 */
import { having, unchangedSince, updateAt } from '../changes.ts';
import { directoryChangeKey, directoryChangesOf, directoryShardKey } from '../keys.ts';
import { startingWith } from '../query.ts';
import type { Table, Write } from '../table.ts';
import {
  changeItem,
  columnsOf,
  mergedRows,
  type RowChange,
  rowsOf,
  shardItem,
  shardOf,
} from './directory-rows.ts';
import type { DomainReference } from './domain.ts';

/** The write that adds a change of a domain to the directory. */
export function directoryWrite(
  { organization, id }: Omit<DomainReference, 'domain'>,
  change: RowChange,
): Write {
  const key = directoryChangeKey(organization, shardOf(id).shard, id);
  return { Update: updateAt(key, { id, ...change }, {}, { changes: 1 }) };
}

/** Every second time: moves the changes that wait for the shard of this domain into it. To be called after a change. */
export async function compactDirectory(
  table: Table,
  { organization, id }: Omit<DomainReference, 'domain'>,
): Promise<void> {
  const { shard, compacts } = shardOf(id);
  if (!compacts) return;
  const key = directoryShardKey(organization, shard);
  const stored = await table.get(key, shardItem);
  const waiting = { ...startingWith(directoryChangesOf(organization, shard)), ConsistentRead: true };
  const changes = await table.query(waiting, changeItem);
  const { revision } = stored ?? { revision: 0 };
  const columns = columnsOf(mergedRows(stored === undefined ? [] : rowsOf(stored), changes));
  // If another call was faster, the changes that it did not see wait for the next one.
  if (!(await table.put({ ...key, revision: revision + 1, columns }, unchangedSince(revision)))) return;
  await Promise.all(
    changes.map(({ id: changed, changes: count }) =>
      table.delete(directoryChangeKey(organization, shard, changed), having({ changes: count })),
    ),
  );
}
