/** Reading API tokens, for every request that carries one. `organizations.ts` issues and revokes them. */

import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { contains, parseIp, parseNetwork, unmapped } from '../protocol/ip.ts';
import { type Scope, scopes } from '../protocol/scope.ts';
import { changing } from './changes.ts';
import { orNull } from './item-schema.ts';
import type { ItemStore } from './items.ts';
import { tokenKey, tokenUseKey } from './keys.ts';

export { type Scope, scopes };

/** Who a member of an organization is, and the ID of the token or member that invited them; null: an operator did. */
const membership = z.object({ person: z.string(), invitedBy: orNull(z.string()) });

/**
 * The stored data of a token: its hash, never the token. Times are in ISO form. `networks` are prefixes in canonical form
 * from which it can be used; an empty list means from anywhere. `creators` are the ids of the token that created it, of
 * the one that created that one, and so on, as far as they could still be revoked then; operators leave none. With
 * `member`, it is what a person may do: nobody knows its text, its name is their mail address, and their sessions belong to it.
 */
export const tokenItem = z.pipe(
  z.object({
    id: z.string(),
    hash: z.string(),
    organization: z.string(),
    name: z.string(),
    scope: z.enum(scopes),
    networks: z.array(z.string()),
    creators: z.array(z.string()),
    createdAt: z.string(),
    validUntil: orNull(z.string()),
    revokedAt: orNull(z.string()),
    member: z.optional(membership),
  }),
  z.transform(({ validUntil, ...token }) => ({ ...token, expiresAt: validUntil })),
);

export type TokenInfo = Readonly<z.infer<typeof tokenItem>>;

/** The token of a person who is a member of an organization. */
export type Member = TokenInfo & { readonly member: z.infer<typeof membership> };

export const isMember = (token: TokenInfo): token is Member => token.member !== undefined;

/** The valid token with this text. Undefined if it is unknown, revoked or expired; callers cannot tell which. */
export async function validToken(
  table: Pick<ItemStore, 'get'>,
  token: string,
  now: Date,
): Promise<TokenInfo | undefined> {
  const info = await tokenInfo(table, token);
  return info === undefined || endOf(info, now) !== undefined ? undefined : info;
}

/** The stored data of a token, valid or not; undefined if it was never issued. */
export async function tokenInfo(
  table: Pick<ItemStore, 'get'>,
  token: string,
): Promise<TokenInfo | undefined> {
  return table.get(tokenKey(hashToken(token)), tokenItem);
}

/** Why a token is invalid; undefined while it is valid. */
export function endOf({ revokedAt, expiresAt }: TokenInfo, now: Date): 'revoked' | 'expired' | undefined {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now.toISOString() ? 'expired' : undefined;
}

/** Whether a token with the scope `held` can do what needs the scope `needed`. */
export const covers = (held: Scope, needed: Scope): boolean => scopes.indexOf(held) >= scopes.indexOf(needed);

/** Whether the token can be used from this client address. */
export function isAdmitted(client: string, { networks }: TokenInfo): boolean {
  if (networks.length === 0) return true;
  const address = parseIp(client);
  if (address === undefined) return false;
  return networks.map(parseNetwork).some((network) => network && contains(network, unmapped(address)));
}

/** The last day (UTC, `2026-01-31`) on which a token was used. */
export const tokenUseItem = z.pipe(
  z.object({ sk: z.string(), lastUsedOn: z.string() }),
  z.transform(({ sk, lastUsedOn }) => ({ id: sk, lastUsedOn })),
);

/** Stores that a token was used on a day, unless a later day is stored. */
export async function recordTokenUse(
  table: Pick<ItemStore, 'update'>,
  { organization, id }: Pick<TokenInfo, 'organization' | 'id'>,
  day: string,
): Promise<void> {
  const isLater = { ConditionExpression: 'attribute_not_exists(pk) OR lastUsedOn < :lastUsedOn' };
  await table.update(tokenUseKey(organization, id), changing({ lastUsedOn: day }, isLater));
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
