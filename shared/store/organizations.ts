/** Organizations and their API tokens. */

import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod/mini';
import { hashToken, type TokenInfo, tokenInfo, tokenItem } from './api-tokens.ts';
import { orNull } from './item-schema.ts';
import { ABSENT, PRESENT } from './items.ts';
import {
  type Key,
  organizationKey,
  organizationListKey,
  organizationTokenKey,
  tokenKey,
  tokensOf,
} from './keys.ts';
import { startingWith } from './query.ts';
import type { Table } from './table.ts';

const organizationItem = z.object({
  id: z.string(),
  name: z.string(),
  /** The maximum number of domains; null means the service's default. */
  domainLimit: orNull(z.number()),
  domainCount: z.number(),
  /** Scores below this raise an alert; null means the service's default. */
  scoreThreshold: orNull(z.number()),
  createdAt: z.string(),
});

export type Organization = Readonly<z.infer<typeof organizationItem>>;

const listedOrganization = z.pick(organizationItem, { id: true, name: true, createdAt: true });

export type OrganizationStore = ReturnType<typeof organizationStore>;

export function organizationStore(table: Table) {
  return {
    async create(name: string, now: Date, id: string = uuidv7()): Promise<Organization> {
      const createdAt = now.toISOString();
      const put = (Item: Record<string, unknown>) => ({ Put: { Item, ...ABSENT } });
      await table.transact([
        put({ ...organizationKey(id), id, name, domainCount: 0, createdAt }),
        put({ ...organizationListKey(id), id, name, createdAt }),
      ]);
      return { id, name, domainLimit: null, domainCount: 0, scoreThreshold: null, createdAt };
    },

    async get(id: string): Promise<Organization | undefined> {
      return table.get(organizationKey(id), organizationItem);
    },

    /** All organizations in the order of creation, for operators. */
    async list(): Promise<Pick<Organization, 'id' | 'name' | 'createdAt'>[]> {
      const query = {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': organizationListKey('').pk },
      };
      return table.query(query, listedOrganization);
    },

    /** Sets the maximum number of domains; null restores the service's default. */
    async setDomainLimit(id: string, limit: number | null): Promise<boolean> {
      return setNumber(id, 'domainLimit', limit);
    },

    /** Sets the score threshold for alerts; null restores the service's default. */
    async setScoreThreshold(id: string, threshold: number | null): Promise<boolean> {
      return setNumber(id, 'scoreThreshold', threshold);
    },

    /**
     * Creates a token with 256 random bits, `<label>_<base64url>`, or stores the given one. A given token must be new:
     * a revoked token stays revoked. The token is returned once and stored only as its SHA-256 hash; with 256 random
     * bits, a plain hash cannot be reversed by search.
     */
    async issueToken(
      organization: string,
      {
        name,
        label,
        expiresAt = null,
        token,
      }: { name: string; label: string; expiresAt?: Date | null; token?: string },
      now: Date,
    ): Promise<string> {
      const issued = token ?? `${label}_${randomBytes(32).toString('base64url')}`;
      const item = {
        hash: hashToken(issued),
        organization,
        name,
        createdAt: now.toISOString(),
        // `expiresAt` is the table's TTL attribute in seconds, so the ISO date has another name.
        validUntil: expiresAt?.toISOString() ?? null,
        revokedAt: null,
      };
      // One item finds the organization of a token; its copy lists the tokens of an organization.
      const put = (key: Key) => ({ Put: { Item: { ...key, ...item }, ...ABSENT } });
      await table.transact([put(tokenKey(item.hash)), put(organizationTokenKey(organization, item.hash))]);
      return issued;
    },

    /** The stored data of a token, valid or not; undefined if it was never issued. */
    tokenInfo: (token: string) => tokenInfo(table, token),

    async listTokens(organization: string): Promise<TokenInfo[]> {
      const tokens = await table.query(startingWith(tokensOf(organization)), tokenItem);
      return tokens.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },

    /** Revokes a token immediately. */
    async revokeToken({ organization, hash }: TokenInfo, now: Date): Promise<void> {
      const revoke = (key: Key) => ({
        Update: {
          Key: key,
          UpdateExpression: 'SET revokedAt = :now',
          ...PRESENT,
          ExpressionAttributeValues: { ':now': now.toISOString() },
        },
      });
      await table.transact([revoke(tokenKey(hash)), revoke(organizationTokenKey(organization, hash))]);
    },
  };

  /** Returns false if there is no such organization. */
  async function setNumber(id: string, attribute: string, value: number | null): Promise<boolean> {
    return table.update(organizationKey(id), {
      UpdateExpression: value === null ? `REMOVE ${attribute}` : `SET ${attribute} = :value`,
      ...PRESENT,
      ...(value === null ? {} : { ExpressionAttributeValues: { ':value': value } }),
    });
  }
}
