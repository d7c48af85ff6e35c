/**
 * The layout of the table: how items are stored. Its version is an item of the table, and a service works only on a table of
 * its own version. What changes the layout is a migration, which leads from one version to the next.
 */

import * as z from 'zod/mini';
import { having } from '../changes.ts';
import { ABSENT } from '../items.ts';
import { layoutKey, organizationListKey } from '../keys.ts';
import { allOfPartition } from '../query.ts';
import type { Table } from '../table.ts';

/** Leads from the layout before to the next one. It can be interrupted after any write, and is then run again as a whole. */
export type Migration = (table: Table) => Promise<void>;

/** The first one leads from version 1 to version 2, and so on. */
export const migrations: readonly Migration[] = [];

const layoutItem = z.object({ version: z.number() });

/**
 * Why this code cannot work on the table; undefined if it can. A table without organizations is new and gets the present
 * version; nothing else is changed.
 */
export async function layoutProblem(table: Table, known = migrations): Promise<string | undefined> {
  const present = versionAfter(known);
  const version = await versionOf(table);
  if (version === present) return undefined;
  if (version !== undefined) {
    const what = `the table has layout ${version}, and this version needs layout ${present}`;
    return version > present
      ? `${what}: run the version that wrote it, or restore a backup from before the upgrade`
      : `${what}: stop the service, make a backup, and migrate the table as CHANGELOG.md says`;
  }
  const query = { ...allOfPartition(organizationListKey('')), ConsistentRead: true };
  const organizations = await table.query(query, z.unknown(), { most: 1 });
  if (organizations.length > 0)
    return 'the table has no layout version, so version 1.0.0 or a later one did not write it: use a new table';
  await table.put({ ...layoutKey(), version: present }, ABSENT);
  return undefined;
}

/**
 * Brings a table to the present layout, one version after the other. No service may run on it.
 * @throws Error if the table has no version or a later one, or if something else migrates it.
 */
export async function migrate(table: Table, known = migrations): Promise<void> {
  const version = await versionOf(table);
  if (version === undefined || version > versionAfter(known))
    throw new Error(`a table of layout ${version ?? 'unknown'} cannot be migrated`);
  for (const [at, migration] of known.entries()) {
    const from = 1 + at;
    if (from < version) continue;
    await migration(table);
    const isNext = await table.put({ ...layoutKey(), version: from + 1 }, having({ version: from }));
    if (!isNext) throw new Error(`something else migrates the table from layout ${from}`);
  }
}

const versionAfter = (known: readonly Migration[]): number => 1 + known.length;

/** The layout that this release reads and writes. */
export const presentLayout: number = versionAfter(migrations);

const versionOf = async (table: Table): Promise<number | undefined> =>
  (await table.get(layoutKey(), layoutItem))?.version;
