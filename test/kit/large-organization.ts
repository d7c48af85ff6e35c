/** An organization with many domains: its directory as the service stores it, and only the items of the domains that are asked for. */
import { randomUUID } from 'node:crypto';
import { usageTypes } from '../../shared/checks/state.ts';
import { columnsOf, type DirectoryRow, shardOf } from '../../shared/store/domains/directory-rows.ts';
import type { Domain } from '../../shared/store/domains/domain.ts';
import { listedPolicies } from '../../shared/store/domains/listed.ts';
import { directoryShardKey, domainKey } from '../../shared/store/keys.ts';
import type { Table } from '../../shared/store/table.ts';

/** Domains with every grade and policy; the score of every tenth one fell by 5 on the day. */
export async function storeDirectory(
  table: Table,
  organization: string,
  size: number,
  day: string,
  zone = 'example',
): Promise<readonly DirectoryRow[]> {
  const rows = Array.from({ length: size }, (_, n): DirectoryRow => {
    const score = n % 97;
    return {
      id: `0197${randomUUID().slice(4)}`,
      domain: `domain-${n}.customer-${n % 100}.${zone}`,
      usageType: 'sends-and-receives',
      verified: n % 20 !== 0,
      scores: usageTypes.map(() => (n % 50 === 49 ? null : score)),
      tags: n % 2 === 0 ? [`customer:${n % 100}`] : [],
      policy: listedPolicies[n % 5] ?? null,
      week: n % 10 === 0 ? [{ day, score: Math.min(100, score + 5) }] : [],
      mail: n % 3 === 0 ? null : { messages: 1000 + n, passed: 900 + n, last: day },
      compliance: n % 4 === 0 ? 'ffffnnuuffffvvffffffuuuu' : 'vvvvvvffvvffuunnvvvvffff',
    };
  }).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const [shard, of] of Map.groupBy(rows, ({ id }) => shardOf(id).shard))
    await table.put({ ...directoryShardKey(organization, shard), revision: 1, columns: columnsOf(of) });
  return rows;
}

/** Stores the item of a domain in the directory. */
export async function storeDomain(
  table: Table,
  organization: string,
  row: DirectoryRow,
  more: Partial<Domain> = {},
): Promise<Domain> {
  const { id, domain, usageType, verified, scores, tags } = row;
  const at = '2026-03-01T00:00:00.000Z';
  const item: Domain = {
    ...{ id, organization, domain, usageType, verified, tags: [...tags] },
    ...{ verificationToken: 'token', testEmailLocalPart: 'postmaster', dkimSelectors: [] },
    ...{ mailbox: id.replaceAll('-', '').slice(0, 24), lastCheckedAt: at, createdAt: at, updatedAt: at },
    scores: Object.fromEntries(usageTypes.map((usage, n) => [usage, scores[n] ?? null])),
    ...more,
  };
  await table.put({ ...domainKey(organization, id), ...item });
  return item;
}
