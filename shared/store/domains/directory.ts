/** Reading the directory of an organization's domains, and building it. `directory-writes.ts` maintains it. */
import * as z from 'zod/mini';
import { unchangedSince } from '../items.ts';
import {
  directoryBuiltKey,
  directoryChangesOf,
  directoryShardKey,
  directoryShardsOf,
  domainKey,
  domainsOf,
} from '../keys.ts';
import { between, type Page, startingWith } from '../query.ts';
import type { Table } from '../table.ts';
import {
  changeItem,
  columnsOf,
  type DirectoryRow,
  directoryShards,
  mergedRows,
  placeOf,
  rowsOf,
  shardItem,
} from './directory-rows.ts';
import { emptyDirectory } from './directory-writes.ts';
import { type Domain, domainItem } from './domain.ts';
import type { DomainCounts } from './domain-counts.ts';
import { gradesOf } from './grades.ts';
import { countRows, type DomainFilter, selectRows } from './select-rows.ts';

/** How often a build is repeated that domains were changed during. */
const BUILD_ATTEMPTS = 5;

/** A row with its neighbors up to this many times as often as it is shown is read as a range. */
const DENSE = 5;

const builtItem = z.object({ builtAt: z.string() });

export type DirectoryStore = ReturnType<typeof directoryStore>;

export function directoryStore(table: Table) {
  return {
    /**
     * One page of the domains that match a filter. Reads the whole directory, about 30 bytes per domain, and the domains
     * of the page; all eventually consistent.
     */
    async search(
      organization: string,
      filter: DomainFilter,
      { page, limit }: Page,
      now: Date,
    ): Promise<{ domains: readonly Domain[]; hasMore: boolean }> {
      const rows = await readRows(organization, now);
      const found = selectRows(rows, filter);
      const end = page * limit;
      const shown = found.slice(end - limit, end).map(({ id }) => id);
      const domains = await readDomains(organization, shown, rows);
      return { domains, hasMore: found.length > end };
    },

    /** The ids of all domains with a tag. Reads the whole directory, eventually consistent. */
    async idsWithTag(organization: string, tag: string, now: Date): Promise<ReadonlySet<string>> {
      const rows = selectRows(await readRows(organization, now), { tag, sort: 'createdAt' });
      return new Set(rows.map(({ id }) => id));
    },

    /** How many domains the organization has. Reads the whole directory, eventually consistent. */
    async count(organization: string, now: Date): Promise<DomainCounts> {
      return countRows(await readRows(organization, now));
    },
  };

  async function readRows(organization: string, now: Date): Promise<DirectoryRow[]> {
    const eventually = { isConsistent: false, aliveAt: now };
    const built = await table.get(directoryBuiltKey(organization), builtItem, eventually);
    if (built === undefined) return buildDirectory(table, organization, now);
    // Changes before shards: what is moved into a shard meanwhile is then read twice, and not missed.
    const changes = await table.query(startingWith(directoryChangesOf(organization)), changeItem);
    const shards = await table.query(startingWith(directoryShardsOf(organization)), shardItem);
    return mergedRows(shards.flatMap(rowsOf), changes);
  }

  /** The domains with these ids, in this order, without those that were just removed. */
  async function readDomains(
    organization: string,
    ids: readonly string[],
    rows: readonly DirectoryRow[],
  ): Promise<Domain[]> {
    const [first = '', last = ''] = [ids.toSorted().at(0), ids.toSorted().at(-1)];
    const span = rows.filter(({ id }) => id >= first && id <= last).length;
    const isDense = span <= DENSE * ids.length;
    const read = isDense
      ? await readRange(organization, first, last)
      : await Promise.all(
          ids.map((id) => table.get(domainKey(organization, id), domainItem, { isConsistent: false })),
        );
    const byId = new Map(read.flatMap((domain) => (domain === undefined ? [] : [[domain.id, domain]])));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async function readRange(organization: string, first: string, last: string): Promise<Domain[]> {
    if (first === '') return [];
    const { pk, sk } = domainKey(organization, first);
    return table.query(between(pk, sk, domainKey(organization, last).sk), domainItem);
  }
}

/**
 * Builds the directory from the domains themselves: for organizations of earlier releases, and once a month.
 * @throws Error if it is changed all the time.
 */
async function buildDirectory(table: Table, organization: string, now: Date): Promise<DirectoryRow[]> {
  for (let attempt = 1; attempt <= BUILD_ATTEMPTS; attempt += 1) {
    // The revisions are read first: a shard that changes later fails its condition, and everything is read again.
    const stored = await Promise.all(
      directoryShards.map((shard) => table.get(directoryShardKey(organization, shard), shardItem)),
    );
    const rows: DirectoryRow[] = [];
    const domains = { ...startingWith(domainsOf(organization)), ConsistentRead: true };
    for await (const domain of table.each(domains, domainItem)) rows.push(rowOf(domain));
    const written = await Promise.all(
      directoryShards.map((shard, at) => {
        const revision = stored[at]?.revision ?? 0;
        const own = rows.filter(({ id }) => placeOf(id).shard === shard);
        if (own.length === 0 && revision === 0) return true;
        const item = { ...directoryShardKey(organization, shard), revision: revision + 1 };
        return table.put({ ...item, columns: columnsOf(own) }, unchangedSince(revision));
      }),
    );
    if (!written.every(Boolean)) continue;
    await table.put(emptyDirectory(organization, now));
    return rows;
  }
  throw new Error(`the directory of the organization ${organization} changes too often to be built`);
}

const rowOf = ({ id, domain, usageType, verified, scores, tags }: Domain): DirectoryRow => ({
  ...{ id, domain, usageType, verified, tags },
  grades: gradesOf(scores),
});
