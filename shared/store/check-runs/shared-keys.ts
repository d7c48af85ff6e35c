/**
 * Which domains of an organization publish a DKIM key. An item in the partition of each domain says so, and is deleted with it;
 * the index lists those of a key. They are written only when a check run sees a key for the first time, or no longer.
 */

import * as z from 'zod/mini';
import { ownKeys, type PublishedKeys } from '../../checks/dkim/history.ts';
import { MAX_NAMED_DOMAINS } from '../../protocol/findings/dkim-history.ts';
import type { Domain } from '../domains/domain.ts';
import { publishedKeyIndexKey, publishedKeyKey } from '../keys.ts';
import { ofIndex } from '../query.ts';
import type { Table, Write } from '../table.ts';

const publishedKeyItem = z.object({ domain: z.string() });

export type SharedKeyStore = ReturnType<typeof sharedKeyStore>;

export function sharedKeyStore(table: Table) {
  return {
    /** The names of other domains of the same organization that publish each of these keys, as many as a finding names. */
    async elsewhere(
      { organization, domain: own }: Pick<Domain, 'organization' | 'domain'>,
      keys: readonly string[],
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const found = await Promise.all(
        keys.map(async (key) => {
          const query = ofIndex(publishedKeyIndexKey(organization, key, ''));
          const items = await table.query(query, publishedKeyItem, { most: MAX_NAMED_DOMAINS + 1 });
          const others = items.flatMap(({ domain }) => (domain === own ? [] : [domain]));
          return [key, others.slice(0, MAX_NAMED_DOMAINS)] as const;
        }),
      );
      return new Map(found);
    },
  };
}

/** What changes in the index when a check run replaces the history of the keys of a domain. */
export function sharedKeyWrites(
  { id, organization, domain }: Pick<Domain, 'id' | 'organization' | 'domain'>,
  before: PublishedKeys,
  after: PublishedKeys,
): readonly Write[] {
  const [known, published] = [ownKeys(before), ownKeys(after)];
  return [
    ...[...published]
      .filter((key) => !known.has(key))
      .map((key) => ({
        Put: {
          Item: { ...publishedKeyKey(id, key), ...publishedKeyIndexKey(organization, key, domain), domain },
        },
      })),
    ...[...known]
      .filter((key) => !published.has(key))
      .map((key) => ({ Delete: { Key: publishedKeyKey(id, key) } })),
  ];
}
