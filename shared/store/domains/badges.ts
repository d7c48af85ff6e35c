/** Badges: what anybody may see of a domain who knows the token, as long as its owner has it turned on. */
import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { badgeKey, domainKey, type Key } from '../keys.ts';
import type { Table, TransactItems } from '../table.ts';
import type { Domain } from './domains.ts';

/** What a badge tells of its domain. */
export interface Badge {
  readonly domain: string;
  /** By the domain's usage as it is now; null before the first checks, and where nothing could be judged. */
  readonly score: number | null;
}

const TOKEN_OCTETS = 16;

/** What every token looks like. */
export const BADGE_TOKEN = new RegExp(`^[0-9a-f]{${2 * TOKEN_OCTETS}}$`);

/** 128 random bits: nobody can guess it. */
export function newBadgeToken(): string {
  return randomBytes(TOKEN_OCTETS).toString('hex');
}

export type BadgeStore = ReturnType<typeof badgeStore>;

export function badgeStore(table: Table) {
  return {
    /** The badge of this token, by two small reads; `undefined` from the moment on that it is off, or its domain gone. */
    async get(token: string): Promise<Badge | undefined> {
      const badge = await read<Badged>(badgeKey(token));
      const domain = badge && (await read<Domain>(domainKey(badge.organization, badge.id)));
      if (domain?.badgeToken !== token) return undefined;
      return { domain: domain.domain, score: domain.scores?.[domain.usageType] ?? null };
    },
  };

  async function read<Item>(key: Key): Promise<Item | undefined> {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
    );
    return Item as Item | undefined;
  }
}

type Badged = Pick<Domain, 'id' | 'organization' | 'badgeToken'>;

/** The writes that come with a domain's getting its badge. */
export function badgeAdditions(table: Table, { id, organization, badgeToken }: Badged): TransactItems {
  if (badgeToken === undefined) return [];
  const Item = { ...badgeKey(badgeToken), organization, id };
  return [{ Put: { TableName: table.name, Item } }];
}

/** The writes that come with a domain's losing its badge. */
export function badgeRemovals(table: Table, { badgeToken }: Badged): TransactItems {
  return badgeToken === undefined
    ? []
    : [{ Delete: { TableName: table.name, Key: { ...badgeKey(badgeToken) } } }];
}
