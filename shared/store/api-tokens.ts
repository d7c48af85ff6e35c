/** Reading API tokens, for every request that carries one. `organizations.ts` issues and revokes them. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { orNull } from './item-schema.ts';
import type { ItemStore } from './items.ts';
import { tokenKey } from './keys.ts';

/** The stored data of a token: its hash, never the token. Times are in ISO form. */
export const tokenItem = z.pipe(
  z.object({
    hash: z.string(),
    organization: z.string(),
    name: z.string(),
    createdAt: z.string(),
    validUntil: orNull(z.string()),
    revokedAt: orNull(z.string()),
  }),
  z.transform(({ validUntil, ...token }) => ({ ...token, expiresAt: validUntil })),
);

export type TokenInfo = Readonly<z.infer<typeof tokenItem>>;

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
  return table.get(tokenKey(hashToken(token)), tokenItem);
}

/** Why a token is invalid; undefined while it is valid. */
export function endOf({ revokedAt, expiresAt }: TokenInfo, now: Date): 'revoked' | 'expired' | undefined {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now.toISOString() ? 'expired' : undefined;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
