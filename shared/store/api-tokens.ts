/** Reading API tokens, for every request that carries one. `organizations.ts` issues and revokes them. */
import { createHash } from 'node:crypto';
import type { ItemStore } from './items.ts';
import { tokenKey } from './keys.ts';

/** The stored data of a token: its hash, never the token. Times are in ISO form. */
export interface TokenInfo {
  readonly hash: string;
  readonly organization: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** The organization of a token. Undefined if the token is unknown, revoked or expired; callers cannot tell which. */
export async function organizationOfToken(
  table: Pick<ItemStore, 'get'>,
  token: string,
  now: Date,
): Promise<string | undefined> {
  const info = await tokenInfo(table, token);
  return info === undefined || endOf(info, now) !== undefined ? undefined : info.organization;
}

/** The stored data of a token, valid or not; undefined if it was never issued. */
export async function tokenInfo(
  table: Pick<ItemStore, 'get'>,
  token: string,
): Promise<TokenInfo | undefined> {
  const item = await table.get(tokenKey(hashToken(token)));
  return item && decodeToken(item);
}

/** Why a token is invalid; undefined while it is valid. */
export function endOf({ revokedAt, expiresAt }: TokenInfo, now: Date): 'revoked' | 'expired' | undefined {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now.toISOString() ? 'expired' : undefined;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function decodeToken(item: Record<string, unknown>): TokenInfo {
  return {
    hash: String(item.hash),
    organization: String(item.organization),
    name: String(item.name),
    createdAt: String(item.createdAt),
    expiresAt: (item.validUntil as string | null) ?? null,
    revokedAt: (item.revokedAt as string | null) ?? null,
  };
}
