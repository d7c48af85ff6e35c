/** Badges: grade and score of a domain, readable by anyone who has the token while the owner keeps the badge on. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { badgeKey, domainKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { type Domain, domainItem } from './domain.ts';

const badgeItem = z.pick(domainItem, { organization: true, id: true });

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
      const badge = await table.get(badgeKey(token), badgeItem);
      const domain = badge && (await table.get(domainKey(badge.organization, badge.id), domainItem));
      if (domain?.badgeToken !== token) return undefined;
      return { domain: domain.domain, score: domain.scores?.[domain.usageType] ?? null };
    },
  };
}

type Badged = Pick<Domain, 'id' | 'organization' | 'badgeToken'>;

/** The writes that turn a badge on. */
export function badgeAdditions({ id, organization, badgeToken }: Badged): Write[] {
  if (badgeToken === undefined) return [];
  const Item = { ...badgeKey(badgeToken), organization, id };
  return [{ Put: { Item } }];
}

/** The writes that turn a badge off. */
export function badgeRemovals({ badgeToken }: Badged): Write[] {
  return badgeToken === undefined ? [] : [{ Delete: { Key: badgeKey(badgeToken) } }];
}
