/**
 * Sessions of the console, and one-time links that start one. Both belong to an API token, so revoking the token ends
 * them. Their secrets have 256 random bits, and only their SHA-256 hashes are stored.
 */
import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { endOf, hashToken, type TokenInfo, tokenItem } from './api-tokens.ts';
import { type ItemStore, PRESENT } from './items.ts';
import { type Key, sessionKey, signInLinkKey, tokenKey } from './keys.ts';

/** How long a session lasts, and a one-time link. */
export const SESSION_SECONDS = 12 * 60 * 60;
export const LINK_SECONDS = 15 * 60;

/** `until` is in ISO form, UTC. `expiresAt` is the table's TTL attribute in seconds. */
const sessionItem = z.object({ tokenHash: z.string(), until: z.string() });

/** The token of a session. Undefined if the session is unknown or over, or if its token is no longer valid. */
export async function tokenOfSession(
  table: Pick<ItemStore, 'get'>,
  secret: string,
  now: Date,
): Promise<TokenInfo | undefined> {
  const session = await table.get(sessionKey(hashToken(secret)), sessionItem);
  if (session === undefined || session.until <= now.toISOString()) return undefined;
  const token = await table.get(tokenKey(session.tokenHash), tokenItem);
  return token === undefined || endOf(token, now) !== undefined ? undefined : token;
}

/** What a form of a session contains to prove that it is from a page of this session. */
export function formTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url');
}

export type SessionStore = ReturnType<typeof sessionStore>;

export function sessionStore(table: Pick<ItemStore, 'create' | 'delete' | 'get'>) {
  return {
    /** Starts a session of the token with this hash, and returns its secret. */
    start: (tokenHash: string, now: Date) => create(sessionKey, tokenHash, now, SESSION_SECONDS),

    async end(secret: string): Promise<void> {
      await table.delete(sessionKey(hashToken(secret)));
    },

    /** Creates a one-time link to a session of the token with this hash, and returns its secret. */
    createLink: (tokenHash: string, now: Date) => create(signInLinkKey, tokenHash, now, LINK_SECONDS),

    /** Uses up a one-time link, and returns the hash of its token. Undefined if it is unknown, used or expired. */
    async takeLink(secret: string, now: Date): Promise<string | undefined> {
      const key = signInLinkKey(hashToken(secret));
      const link = await table.get(key, sessionItem);
      if (link === undefined || link.until <= now.toISOString()) return undefined;
      return (await table.delete(key, PRESENT)) ? link.tokenHash : undefined;
    },
  };

  async function create(
    key: (hash: string) => Key,
    tokenHash: string,
    now: Date,
    seconds: number,
  ): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const end = now.getTime() + seconds * 1000;
    await table.create({
      ...key(hashToken(secret)),
      tokenHash,
      until: new Date(end).toISOString(),
      expiresAt: Math.ceil(end / 1000),
    });
    return secret;
  }
}
