/** Badges: grade and score of a domain, readable by anyone who has the token while the owner keeps the badge on. */
import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { badgeKey, domainKey, type Key } from '../keys.ts';
import type { Table, TransactItems } from '../table.ts';
import type { Domain } from './domains.ts';

/** What a badge shows. */
export interface Badge {
  readonly domain: string;
  /** For the domain's current usage type. Null before the first check run and if no check could be scored. */
  readonly score: number | null;
}

const TOKEN_OCTETS = 16;

/** The format of a token. */
export const BADGE_TOKEN = new RegExp(`^[0-9a-f]{${2 * TOKEN_OCTETS}}$`);

/** A token of 128 random bits. */
export function newBadgeToken(): string {
  return randomBytes(TOKEN_OCTETS).toString('hex');
}

export type BadgeStore = ReturnType<typeof badgeStore>;

export function badgeStore(table: Table) {
  return {
    /**
     * The badge of this token, read with two small reads. Undefined as soon as the badge is off or the domain is
     * removed.
     */
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

/** The writes that turn a badge on. */
export function badgeAdditions(table: Table, { id, organization, badgeToken }: Badged): TransactItems {
  if (badgeToken === undefined) return [];
  const Item = { ...badgeKey(badgeToken), organization, id };
  return [{ Put: { TableName: table.name, Item } }];
}

/** The writes that turn a badge off. */
export function badgeRemovals(table: Table, { badgeToken }: Badged): TransactItems {
  return badgeToken === undefined
    ? []
    : [{ Delete: { TableName: table.name, Key: { ...badgeKey(badgeToken) } } }];
}
