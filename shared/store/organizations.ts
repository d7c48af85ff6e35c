/** Organizations and their API tokens. */

import { createHash, randomBytes } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import {
  type Key,
  organizationKey,
  organizationListKey,
  organizationTokenKey,
  tokenKey,
  tokensOf,
} from './keys.ts';
import { found } from './query.ts';
import { conditionFailed, type Table, transact } from './table.ts';

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** How many domains it may register; null means the service's default. */
  readonly domainLimit: number | null;
  readonly domainCount: number;
  /** Scores below it are worth an alert; null means the service's default. */
  readonly scoreThreshold: number | null;
  readonly createdAt: string;
}

/** What is kept of a token: never the token, only its hash. Times in ISO form. */
export interface TokenInfo {
  readonly hash: string;
  readonly organization: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export type OrganizationStore = ReturnType<typeof organizationStore>;

export function organizationStore(table: Table) {
  return {
    async create(name: string, now: Date, id: string = uuidv7()): Promise<Organization> {
      const createdAt = now.toISOString();
      const put = (Item: Record<string, unknown>) => ({
        Put: { TableName: table.name, Item, ConditionExpression: 'attribute_not_exists(pk)' },
      });
      await transact(table, [
        put({ ...organizationKey(id), id, name, domainCount: 0, createdAt }),
        put({ ...organizationListKey(id), id, name, createdAt }),
      ]);
      return { id, name, domainLimit: null, domainCount: 0, scoreThreshold: null, createdAt };
    },

    async get(id: string): Promise<Organization | undefined> {
      const { Item } = await table.client.send(
        new GetCommand({ TableName: table.name, Key: organizationKey(id), ConsistentRead: true }),
      );
      if (Item === undefined) return undefined;
      const { name, domainCount, domainLimit = null, scoreThreshold = null, createdAt } = Item;
      return { id, name, domainCount, domainLimit, scoreThreshold, createdAt };
    },

    /** All organizations in the order of their creation; for operators. */
    async list(): Promise<Pick<Organization, 'id' | 'name' | 'createdAt'>[]> {
      const items = await found(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': organizationListKey('').pk },
      });
      return items.map(({ id, name, createdAt }) => ({
        id: String(id),
        name: String(name),
        createdAt: String(createdAt),
      }));
    },

    /** Sets how many domains an organization may register; null goes back to the service's default. */
    async setDomainLimit(id: string, limit: number | null): Promise<boolean> {
      return setNumber(id, 'domainLimit', limit);
    },

    /** Sets below which score an organization is alerted; null goes back to the service's default. */
    async setScoreThreshold(id: string, threshold: number | null): Promise<boolean> {
      return setNumber(id, 'scoreThreshold', threshold);
    },

    /**
     * Makes a token of 256 random bits, `<label>_<base64url>`, or keeps the given one, which must be new: a revoked
     * token stays revoked. It is returned once and stored only as its SHA-256: with so much randomness a plain hash
     * cannot be searched backwards.
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
        // `expiresAt` is the table's TTL attribute, in seconds; the date for people has a name of its own.
        validUntil: expiresAt?.toISOString() ?? null,
        revokedAt: null,
      };
      // One item answers "whose token is this?", its copy "which tokens has this organization?".
      const put = (key: Key) => ({
        Put: {
          TableName: table.name,
          Item: { ...key, ...item },
          ConditionExpression: 'attribute_not_exists(pk)',
        },
      });
      await transact(table, [put(tokenKey(item.hash)), put(organizationTokenKey(organization, item.hash))]);
      return issued;
    },

    /** The organization whose token this is, or undefined: unknown, revoked and expired are the same from outside. */
    async authenticate(token: string, now: Date): Promise<string | undefined> {
      const info = await tokenInfo(token);
      return info === undefined || endOf(info, now) !== undefined ? undefined : info.organization;
    },

    /** What is kept of a token, whether it is good any more or not; undefined where it was never issued. */
    tokenInfo,

    async listTokens(organization: string): Promise<TokenInfo[]> {
      const { pk, prefix } = tokensOf(organization);
      const items = await found(table, {
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      });
      return items.map(decodeToken).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },

    /** Makes a token worthless at once. */
    async revokeToken({ organization, hash }: TokenInfo, now: Date): Promise<void> {
      const revoke = (key: Key) => ({
        Update: {
          TableName: table.name,
          Key: { ...key },
          UpdateExpression: 'SET revokedAt = :now',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':now': now.toISOString() },
        },
      });
      await transact(table, [revoke(tokenKey(hash)), revoke(organizationTokenKey(organization, hash))]);
    },
  };

  async function tokenInfo(token: string): Promise<TokenInfo | undefined> {
    const { Item } = await table.client.send(
      new GetCommand({ TableName: table.name, Key: tokenKey(hashToken(token)), ConsistentRead: true }),
    );
    return Item && decodeToken(Item);
  }

  /** Returns false where there is no such organization. */
  async function setNumber(id: string, attribute: string, value: number | null): Promise<boolean> {
    try {
      await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: organizationKey(id),
          UpdateExpression: value === null ? `REMOVE ${attribute}` : `SET ${attribute} = :value`,
          ConditionExpression: 'attribute_exists(pk)',
          ...(value === null ? {} : { ExpressionAttributeValues: { ':value': value } }),
        }),
      );
      return true;
    } catch (error) {
      if (conditionFailed(error)) return false;
      throw error;
    }
  }
}

/** Why a token is worth nothing any more; undefined while it is good. */
export function endOf({ revokedAt, expiresAt }: TokenInfo, now: Date): 'revoked' | 'expired' | undefined {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now.toISOString() ? 'expired' : undefined;
}

function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function decodeToken(item: Record<string, unknown>): TokenInfo {
  return {
    hash: String(item.hash),
    organization: String(item.organization),
    name: String(item.name),
    createdAt: String(item.createdAt),
    expiresAt: (item.validUntil as string | null) ?? null,
    revokedAt: (item.revokedAt as string | null) ?? null,
  };
}
