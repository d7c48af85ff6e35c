/** Organizations and their API tokens. */

import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import {
  endOf,
  hashToken,
  isMember,
  type Scope,
  type TokenInfo,
  tokenInfo,
  tokenItem,
  tokenUseItem,
} from './api-tokens.ts';
import { allOf, changing, having, updateAt } from './changes.ts';
import { untilUncontended } from './contention.ts';
import { orNull } from './item-schema.ts';
import { ABSENT, type Condition, ConditionsFailed, PRESENT } from './items.ts';
import {
  type Key,
  organizationKey,
  organizationListKey,
  organizationTokenKey,
  tokenKey,
  tokensOf,
  tokenUseKey,
} from './keys.ts';
import { allOfPartition, startingWith } from './query.ts';
import type { Table, Write } from './table.ts';
import { newId } from './time-ids.ts';

const organizationItem = z.object({
  id: z.string(),
  name: z.string(),
  /** The maximum number of domains; null means the service's default. */
  domainLimit: orNull(z.number()),
  domainCount: z.number(),
  /** Scores below this raise an alert; null means the service's default. */
  scoreThreshold: orNull(z.number()),
  /** Since when nothing is checked, read or sent for it on its own; null: it is not paused. */
  pausedAt: orNull(z.string()),
  createdAt: z.string(),
});

export type Organization = Readonly<z.infer<typeof organizationItem>>;

const listedOrganization = z.pick(organizationItem, { id: true, name: true, createdAt: true });

export interface NewToken {
  readonly name: string;
  readonly label: string;
  /** All rights by default. */
  readonly scope?: Scope;
  /** Prefixes from which it can be used; from anywhere by default. */
  readonly networks?: readonly string[];
  readonly expiresAt?: Date | null;
  readonly token?: string;
  readonly member?: TokenInfo['member'];
  /** The token that creates it, and the `creators` to store; none for an operator. */
  readonly creator?: { readonly hash: string; readonly creators: readonly string[] };
}

/** The condition that a token exists and was not revoked. */
export const UNREVOKED: Condition = {
  ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(revokedAt) OR revokedAt = :none)',
  ExpressionAttributeValues: { ':none': null },
};

export interface CreatedToken {
  /** Its text, which is not stored. */
  readonly token: string;
  readonly info: TokenInfo;
}

/** Writes that belong into the transaction that creates a token. */
type Alongside = (info: TokenInfo) => readonly Write[];

const nothing: Alongside = () => [];

/** How long lists contain tokens that expired or were revoked. */
const ENDED_DAYS = 30;

export type OrganizationStore = ReturnType<typeof organizationStore>;

export function organizationStore(table: Table) {
  return {
    async create(name: string, now: Date, id: string = newId(now)): Promise<Organization> {
      const createdAt = now.toISOString();
      const put = (Item: Record<string, unknown>) => ({ Put: { Item, ...ABSENT } });
      await table.transact([
        put({ ...organizationKey(id), id, name, domainCount: 0, createdAt }),
        put({ ...organizationListKey(id), id, name, createdAt }),
      ]);
      return { id, name, domainLimit: null, domainCount: 0, scoreThreshold: null, pausedAt: null, createdAt };
    },

    async get(id: string): Promise<Organization | undefined> {
      return table.get(organizationKey(id), organizationItem);
    },

    /** All organizations in the order of creation, for operators. */
    async list(): Promise<Pick<Organization, 'id' | 'name' | 'createdAt'>[]> {
      return table.query(allOfPartition(organizationListKey('')), listedOrganization);
    },

    /** Sets the maximum number of domains; null restores the service's default. */
    setDomainLimit: (id: string, limit: number | null): Promise<boolean> =>
      set(id, { domainLimit: limit ?? undefined }),

    /** Sets the score threshold for alerts; null restores the service's default. */
    setScoreThreshold: (id: string, threshold: number | null): Promise<boolean> =>
      set(id, { scoreThreshold: threshold ?? undefined }),

    /** Pauses an organization since a time, or lets it go on (null). Returns false if there is no such organization. */
    setPaused: (id: string, since: Date | null): Promise<boolean> =>
      set(id, { pausedAt: since?.toISOString() }),

    /** Those of some organizations that are paused. */
    async paused(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const found = await Promise.all([...new Set(ids)].map((id) => this.get(id)));
      return new Set(found.flatMap((one) => (one === undefined || one.pausedAt === null ? [] : one.id)));
    },

    /**
     * Creates a token with 256 random bits, `<label>_<base64url>`, or stores the given one. A given token must be new:
     * a revoked token stays revoked. The token is returned once and stored only as its SHA-256 hash; with 256 random
     * bits, a plain hash cannot be reversed by search.
     * @param alongside Writes in the same transaction.
     * @throws ConditionsFailed with position 0 if the token that creates it was revoked meanwhile.
     */
    async createToken(
      organization: string,
      given: NewToken,
      now: Date,
      alongside: Alongside = nothing,
    ): Promise<CreatedToken> {
      const { created, writes } = newToken(organization, given, now);
      await table.transact([...writes, ...alongside(created.info), forgetTokenCount(organization)]);
      return created;
    },

    /** Like `createToken`, if the organization has fewer than `limit` valid tokens; undefined otherwise. */
    async createTokenWithin(
      limit: number,
      organization: string,
      given: NewToken,
      now: Date,
      alongside: Alongside = nothing,
    ): Promise<CreatedToken | undefined> {
      const { created, writes } = newToken(organization, given, now);
      const all = [...writes, ...alongside(created.info), countToken(organization, limit)];
      const isCreated = await untilUncontended(async () => {
        const failed = await table.tryTransact(all);
        if (failed.size === 0) return true;
        if (given.creator !== undefined && failed.has(0)) throw new ConditionsFailed(failed);
        const valid = await recountTokens(table, organization, async () => {
          const tokens = await this.listTokens(organization);
          return tokens.filter((one) => !isMember(one) && endOf(one, now) === undefined).length;
        });
        return valid < limit ? undefined : false;
      });
      return isCreated ? created : undefined;
    },

    /** The stored data of a token, valid or not; undefined if it was never issued. */
    tokenInfo: (token: string) => tokenInfo(table, token),

    /** Oldest first, those of members included. Consistent, so that one that was just created is found. */
    async listTokens(organization: string): Promise<TokenInfo[]> {
      const query = { ...startingWith(tokensOf(organization)), ConsistentRead: true };
      const tokens = await table.query(query, tokenItem);
      return tokens.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },

    /** The last day on which each token of an organization was used, by the token's id. */
    async tokenUses(organization: string): Promise<ReadonlyMap<string, string>> {
      const uses = await table.query(allOfPartition(tokenUseKey(organization, '')), tokenUseItem);
      return new Map(uses.map(({ id, lastUsedOn }) => [id, lastUsedOn]));
    },

    /**
     * Revokes a token immediately. It stays listed for a while, and can never be issued again. Returns false if it was
     * revoked before.
     */
    async revokeToken(token: TokenInfo, now: Date): Promise<boolean> {
      const writes = [...revocation(token, now), forgetTokenCount(token.organization)];
      return (await table.tryTransact(writes)).size === 0;
    },
  };

  /** Sets an attribute, or removes it. Returns false if there is no such organization. */
  function set(
    id: string,
    change: Partial<Record<'domainLimit' | 'scoreThreshold' | 'pausedAt', string | number>>,
  ): Promise<boolean> {
    return table.update(organizationKey(id), changing(change, PRESENT));
  }
}

/** Until when a token that ended is listed, in seconds since 1970. */
const listedUntil = (end: Date): number => Math.ceil(end.getTime() / 1000) + ENDED_DAYS * 86_400;

/** The writes that revoke a token, on condition that it was not revoked. */
export function revocation({ organization, hash, id }: TokenInfo, now: Date): readonly Write[] {
  const revokedAt = now.toISOString();
  const listed = { revokedAt, expiresAt: listedUntil(now) };
  return [
    { Update: updateAt(tokenKey(hash), { revokedAt }, UNREVOKED) },
    { Update: updateAt(organizationTokenKey(organization, hash), listed, UNREVOKED) },
    { Delete: { Key: tokenUseKey(organization, id) } },
  ];
}

/** A new token, and the writes that store it. */
export function newToken(
  organization: string,
  { name, label, scope = 'admin', networks = [], expiresAt = null, token, creator, member }: NewToken,
  now: Date,
): { readonly created: CreatedToken; readonly writes: readonly Write[] } {
  const issued = token ?? `${label}_${randomBytes(32).toString('base64url')}`;
  const item = {
    id: newId(now),
    hash: hashToken(issued),
    organization,
    name,
    scope,
    networks,
    creators: creator?.creators ?? [],
    createdAt: now.toISOString(),
    // `expiresAt` is the table's TTL attribute in seconds, so the ISO date has another name.
    validUntil: expiresAt?.toISOString() ?? null,
    revokedAt: null,
    ...(member !== undefined && { member }),
  };
  const listed = { ...item, ...(expiresAt !== null && { expiresAt: listedUntil(expiresAt) }) };
  // One item finds the organization of a token; its copy lists the tokens of an organization.
  const put = (key: Key, Item: object) => ({ Put: { Item: { ...key, ...Item }, ...ABSENT } });
  return {
    created: { token: issued, info: z.parse(tokenItem, item) },
    writes: [
      ...(creator === undefined ? [] : [{ ConditionCheck: { Key: tokenKey(creator.hash), ...UNREVOKED } }]),
      put(tokenKey(item.hash), item),
      put(organizationTokenKey(organization, item.hash), listed),
    ],
  };
}

/**
 * How many valid tokens an organization has is a number in its item, `tokenCount`, so that their limit is exact when several
 * are created at the same time. It is absent when it is unknown. Tokens expire without a write, so it can be too high, and is
 * counted again when it reaches the limit. `tokenChanges` counts what changed the number of tokens; an organization that never
 * had one, only members, lacks it.
 */
const countedItem = z.object({ tokenChanges: z.optional(z.number()) });

/** Counts a new token, on condition that the number is known and below the limit. */
const countToken = (organization: string, limit: number): Write => ({
  Update: updateAt(
    organizationKey(organization),
    {},
    { ConditionExpression: 'tokenCount < :limit', ExpressionAttributeValues: { ':limit': limit } },
    { tokenCount: 1, tokenChanges: 1 },
  ),
});

/** Notes that the number of tokens changes and has to be counted again. */
const forgetTokenCount = (organization: string): Write => ({
  Update: updateAt(organizationKey(organization), { tokenCount: undefined }, PRESENT, { tokenChanges: 1 }),
});

/** Counts the tokens again with `count`, and stores the number if it did not change meanwhile. Returns the number. */
async function recountTokens(
  table: Pick<Table, 'get' | 'update'>,
  organization: string,
  count: () => Promise<number>,
): Promise<number> {
  const before = await table.get(organizationKey(organization), countedItem);
  const number = await count();
  if (before === undefined) return number;
  const { tokenChanges } = before;
  const isSame = allOf(PRESENT, having({ tokenChanges }));
  await table.update(organizationKey(organization), changing({ tokenCount: number }, isSame));
  return number;
}
