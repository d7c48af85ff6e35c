/**
 * Sessions of the console, and one-time links that start one. Both belong to an API token, so revoking the token ends
 * them. Their secrets have 256 random bits, and only their SHA-256 hashes are stored. The text that a browser has also
 * says in which partition to find them.
 */

import { createHmac, randomBytes } from 'node:crypto';
import * as z from 'zod/mini';
import { printable } from '../protocol/printable.ts';
import { endOf, hashToken, type TokenInfo, tokenItem } from './api-tokens.ts';
import { changing } from './changes.ts';
import type { ItemSchema } from './item-schema.ts';
import { type ItemStore, PRESENT } from './items.ts';
import { type Key, type SessionKind, sessionKey, sessionsOf, tokenKey } from './keys.ts';
import { startingWith } from './query.ts';
import type { Table } from './table.ts';

/** How long a session lasts at most, and a one-time link. */
export const SESSION_SECONDS = 12 * 60 * 60;
export const LINK_SECONDS = 15 * 60;

/** A session ends when nobody used it for this long: somebody left a browser open. */
const IDLE_SECONDS = 2 * 60 * 60;

/** A use is stored if the last one that was stored is older, so that most pages cost no write. */
const USE_SECONDS = 5 * 60;

/** The sessions of a token that are kept, so that lists are short. Further ones end those that were not used for longest. */
export const MAX_SESSIONS_PER_TOKEN = 50;

/** How much of the User-Agent header is stored, in characters: browsers name themselves after about 80 of them. */
const MAX_CLIENT = 160;

/** The number of concurrent writes. */
const AT_ONCE = 25;

/** The token that a session or link is for. */
export type SessionToken = Pick<TokenInfo, 'organization' | 'id' | 'hash'>;

/** Times are in ISO form, UTC. */
const sessionItem = z.pipe(
  z.object({
    sk: z.string(),
    tokenId: z.string(),
    tokenHash: z.string(),
    startedAt: z.string(),
    lastUsedAt: z.string(),
    /** When the person last proved to have the token, or a link of an operator. */
    authenticatedAt: z.string(),
    until: z.string(),
    /** The beginning of the User-Agent header. */
    client: z.string(),
  }),
  z.transform(({ sk, ...session }) => ({ id: sk.replace(/^SESSION#/, ''), ...session })),
);

/** A session as it is stored. Its `id` names it among those of its organization, and is not its secret. */
export type Session = Readonly<z.infer<typeof sessionItem>>;

const linkItem = z.object({ tokenHash: z.string(), until: z.string() });

const keyItem = z.object({ pk: z.string(), sk: z.string() });

/** The session with this text and its token. Undefined if it is unknown or over, or if its token is no longer valid. */
export async function findSession(
  table: Pick<ItemStore, 'get'>,
  text: string,
  now: Date,
): Promise<{ readonly session: Session; readonly token: TokenInfo } | undefined> {
  const place = sessionPlaceIn(text);
  if (place === undefined) return undefined;
  const session = await table.get(sessionKey('SESSION', place.organization, place.id), sessionItem);
  if (session === undefined || isOver(session, now)) return undefined;
  const token = await validTokenOf(table, place.organization, session.tokenHash, now);
  return token && { session, token };
}

/** Stores now and then that a session is used. Returns false if it has ended meanwhile; it does not come back. */
export async function useSession(
  table: Pick<ItemStore, 'update'>,
  organization: string,
  { id, lastUsedAt }: Session,
  now: Date,
): Promise<boolean> {
  if (now.getTime() - Date.parse(lastUsedAt) < USE_SECONDS * 1000) return true;
  return setTime(table, { organization, id }, 'lastUsedAt', now);
}

/** What a form of a session contains to prove that it is from a page of this session. */
export function formTokenOf(text: string): string {
  return createHmac('sha256', text).update('form').digest('base64url');
}

/** What a session continues, if it is not the beginning of everything. */
interface Origin {
  readonly authenticatedAt?: Date;
  readonly until?: Date;
}

export type SessionStore = ReturnType<typeof sessionStore>;

export function sessionStore(table: Pick<Table, 'create' | 'delete' | 'get' | 'query' | 'update'>) {
  return {
    /**
     * Starts a session, and returns its text. `client` is the User-Agent header.
     * @param of When the person proved who they are, if not now, and when the session ends at the latest.
     */
    async start(
      token: SessionToken,
      client: string,
      now: Date,
      { authenticatedAt = now, until }: Origin = {},
    ): Promise<string> {
      const { organization, id } = token;
      const others = (await itemsOf('SESSION', organization, id, sessionItem)).toSorted(byLastUse);
      const further = others.slice(MAX_SESSIONS_PER_TOKEN - 1);
      await removeAll(further.map((one) => sessionKey('SESSION', organization, one.id)));
      const at = now.toISOString();
      const proof = authenticatedAt < now ? authenticatedAt.toISOString() : at;
      const times = { startedAt: at, lastUsedAt: at, authenticatedAt: proof };
      const most = new Date(now.getTime() + SESSION_SECONDS * 1000);
      const end = until === undefined || until > most ? most : until;
      return create('SESSION', token, end, { ...times, client: printable(client, MAX_CLIENT) });
    },

    /** Stores that the person of a session proved again who they are. Returns false if it has ended. */
    authenticated: (organization: string, { id }: Session, now: Date): Promise<boolean> =>
      setTime(table, { organization, id }, 'authenticatedAt', now),

    /** The sessions of an organization, or of one token, that are not over; the last used first. */
    async list(organization: string, tokenId: string | undefined, now: Date): Promise<Session[]> {
      const sessions = await itemsOf('SESSION', organization, tokenId, sessionItem);
      return sessions.filter((one) => !isOver(one, now)).toSorted(byLastUse);
    },

    /** Ends the session with this id. Returns false if there is none. */
    end: (organization: string, id: string): Promise<boolean> =>
      table.delete(sessionKey('SESSION', organization, id), PRESENT),

    /** Ends all sessions and one-time links of an organization, or of one token. */
    async endAll(organization: string, tokenId?: string): Promise<void> {
      for (const kind of ['LINK', 'SESSION'] as const)
        await removeAll(await itemsOf(kind, organization, tokenId, keyItem));
    },

    /** Creates a one-time link to a session, and returns its text. */
    createLink: (token: SessionToken, now: Date): Promise<string> =>
      create('LINK', token, new Date(now.getTime() + LINK_SECONDS * 1000), {}),

    /**
     * Uses up a one-time link, and returns its token. Undefined if the link is unknown, used, expired or of another
     * organization than a given one, or if its token is no longer valid.
     */
    async takeLink(text: string, now: Date, of?: string): Promise<TokenInfo | undefined> {
      const place = sessionPlaceIn(text);
      if (place === undefined || (of !== undefined && of !== place.organization)) return undefined;
      const key = sessionKey('LINK', place.organization, place.id);
      const link = await table.get(key, linkItem);
      if (link === undefined || link.until <= now.toISOString()) return undefined;
      if (!(await table.delete(key, PRESENT))) return undefined;
      return validTokenOf(table, place.organization, link.tokenHash, now);
    },
  };

  /** Consistent, so that what was created a moment ago is found. */
  function itemsOf<Value>(
    kind: SessionKind,
    organization: string,
    tokenId: string | undefined,
    schema: ItemSchema<Value>,
  ): Promise<Value[]> {
    const query = startingWith(sessionsOf(kind, organization, tokenId));
    return table.query({ ...query, ConsistentRead: true }, schema);
  }

  async function removeAll(keys: readonly Key[]): Promise<void> {
    for (let at = 0; at < keys.length; at += AT_ONCE)
      await Promise.all(keys.slice(at, at + AT_ONCE).map(({ pk, sk }) => table.delete({ pk, sk })));
  }

  async function create(
    kind: SessionKind,
    { organization, id, hash }: SessionToken,
    end: Date,
    more: Readonly<Record<string, string>>,
  ): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await table.create({
      ...sessionKey(kind, organization, idOf(id, secret)),
      ...{ tokenId: id, tokenHash: hash, until: end.toISOString(), ...more },
      expiresAt: Math.ceil(end.getTime() / 1000),
    });
    return [organization, id, secret].join('.');
  }
}

/** Returns false if the session has ended. */
function setTime(
  table: Pick<ItemStore, 'update'>,
  { organization, id }: Place,
  attribute: 'lastUsedAt' | 'authenticatedAt',
  now: Date,
): Promise<boolean> {
  const change = changing({ [attribute]: now.toISOString() }, PRESENT);
  return table.update(sessionKey('SESSION', organization, id), change);
}

/** The ID of the token in the ID of a session. */
export const tokenIdIn = (id: string): string => id.replace(/#.*$/s, '');

interface Place {
  readonly organization: string;
  readonly id: string;
}

/** The organization, the ID of the token, and the secret. */
const TEXT = /^([\w-]{1,64})\.([\w-]{1,64})\.([\w-]{43})$/;

/** Where the session with this text is; undefined if the text is malformed. */
export function sessionPlaceIn(text: string): Place | undefined {
  const [, organization, tokenId, secret] = TEXT.exec(text) ?? [];
  if (organization === undefined || tokenId === undefined || secret === undefined) return undefined;
  return { organization, id: idOf(tokenId, secret) };
}

const idOf = (tokenId: string, secret: string): string => `${tokenId}#${hashToken(secret)}`;

/** Whether its time is up, or nobody used it for too long. */
function isOver({ until, lastUsedAt }: Session, now: Date): boolean {
  return until <= now.toISOString() || now.getTime() - Date.parse(lastUsedAt) >= IDLE_SECONDS * 1000;
}

const byLastUse = (a: Session, b: Session): number => b.lastUsedAt.localeCompare(a.lastUsedAt);

async function validTokenOf(
  table: Pick<ItemStore, 'get'>,
  organization: string,
  hash: string,
  now: Date,
): Promise<TokenInfo | undefined> {
  const token = await table.get(tokenKey(hash), tokenItem);
  const isValid = token?.organization === organization && endOf(token, now) === undefined;
  return isValid ? token : undefined;
}
