/** Reading the directory of an organization's domains. `directory-writes.ts` maintains it. */
import { directoryChangesOf, directoryShardsOf, domainKey } from '../keys.ts';
import { between, type Page, startingWith } from '../query.ts';
import type { Table } from '../table.ts';
import { changeItem, type DirectoryRow, mergedRows, rowsOf, shardItem } from './directory-rows.ts';
import { type Domain, domainItem } from './domain.ts';
import type { DomainCounts } from './domain-counts.ts';
import { countRows, type DomainFilter, selectRows } from './select-rows.ts';

/** A row with its neighbors up to this many times as often as it is shown is read as a range. */
const DENSE = 5;

interface DirectoryPage {
  readonly listed: readonly { readonly domain: Domain; readonly row: DirectoryRow }[];
  /** How many domains match the filter. */
  readonly matching: number;
  readonly all: readonly DirectoryRow[];
}

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
    ): Promise<{ domains: readonly Domain[]; hasMore: boolean }> {
      const { domains, matching } = await select(organization, filter, { page, limit });
      return { domains, hasMore: matching > page * limit };
    },

    /**
     * The same with the rows of the directory that belong to the domains, all rows, and how many match. The order of
     * `sort` is that of pages.
     */
    async list(organization: string, filter: DomainFilter, page: Page, now: Date): Promise<DirectoryPage> {
      const { domains, shown, matching, all } = await select(organization, filter, page, now);
      const byId = new Map(shown.map((row) => [row.id, row]));
      const listed = domains.flatMap((domain) => {
        const row = byId.get(domain.id);
        return row === undefined ? [] : [{ domain, row }];
      });
      return { listed, matching, all };
    },

    /** The rows of all domains, in the order of registration, eventually consistent. */
    rows: readRows,

    /** The ids of all domains with a tag. Reads the whole directory, eventually consistent. */
    async idsWithTag(organization: string, tag: string): Promise<ReadonlySet<string>> {
      const rows = selectRows(await readRows(organization), { tag, sort: 'createdAt' });
      return new Set(rows.map(({ id }) => id));
    },

    /** How many domains the organization has. Reads the whole directory, eventually consistent. */
    async count(organization: string): Promise<DomainCounts> {
      return countRows(await readRows(organization));
    },
  };

  async function select(organization: string, filter: DomainFilter, { page, limit }: Page, now?: Date) {
    const all = await readRows(organization);
    const found = selectRows(all, filter, now);
    const shown = found.slice((page - 1) * limit, page * limit);
    const ids = shown.map(({ id }) => id);
    return { domains: await readDomains(organization, ids, all), shown, matching: found.length, all };
  }

  async function readRows(organization: string): Promise<DirectoryRow[]> {
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
    const read = isDense ? await readRange(organization, first, last) : await readEach(organization, ids);
    const byId = new Map(read.map((domain) => [domain.id, domain]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async function readEach(organization: string, ids: readonly string[]): Promise<Domain[]> {
    const reads = ids.map((id) => ({ key: domainKey(organization, id), schema: domainItem }));
    const found = await table.getMany(reads, { isConsistent: false });
    return reads.flatMap((one) => found.of(one) ?? []);
  }

  async function readRange(organization: string, first: string, last: string): Promise<Domain[]> {
    if (first === '') return [];
    const { pk, sk } = domainKey(organization, first);
    return table.query(between(pk, sk, domainKey(organization, last).sk), domainItem);
  }
}
