import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { sessionsOf } from '../../../shared/store/keys.ts';
import { type NewToken, organizationStore } from '../../../shared/store/organizations.ts';
import { startingWith } from '../../../shared/store/query.ts';
import {
  findSession,
  MAX_SESSIONS_PER_TOKEN,
  type SessionToken,
  sessionStore,
  useSession,
} from '../../../shared/store/sessions.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T06:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const HOUR = 3600;

let organization: string;

const table = await useTable();
const sessions = sessionStore(table);
beforeEach(async () => {
  organization = (await organizationStore(table).create('Org', now)).id;
});

const issue = async (given: Partial<NewToken> = {}) =>
  (await organizationStore(table).createToken(organization, { name: 'me', label: 'svc', ...given }, now))
    .info;
const start = async (token?: SessionToken, client = 'Browser', at = now) =>
  sessions.start(token ?? (await issue()), client, at);
const isThere = async (text: string, at: Date) => (await findSession(table, text, at)) !== undefined;

/** As a request does it. Returns whether there is a session. */
async function request(text: string, at: Date): Promise<boolean> {
  const found = await findSession(table, text, at);
  return found !== undefined && useSession(table, organization, found.session, at);
}

describe('a session', () => {
  test('lasts twelve hours while it is used', async () => {
    const text = await start();
    for (let hour = 1; hour < 12; hour += 1)
      expect([hour, await request(text, later(hour * HOUR))]).toEqual([hour, true]);
    expect(await isThere(text, later(12 * HOUR - 1))).toBe(true);
    expect(await isThere(text, later(12 * HOUR))).toBe(false);
  });

  test('ends after two hours without a request', async () => {
    const text = await start();
    expect(await isThere(text, later(2 * HOUR - 1))).toBe(true);
    expect(await isThere(text, later(2 * HOUR))).toBe(false);
    expect(await request(text, later(HOUR))).toBe(true);
    expect(await isThere(text, later(3 * HOUR - 1))).toBe(true);
    expect(await isThere(text, later(3 * HOUR))).toBe(false);
  });

  test('stores its use every five minutes', async () => {
    const text = await start();
    const lastUsedAt = async () => (await findSession(table, text, later(400)))?.session.lastUsedAt;
    await request(text, later(299));
    expect(await lastUsedAt()).toBe(now.toISOString());
    await request(text, later(300));
    expect(await lastUsedAt()).toBe(later(300).toISOString());
  });

  test('does not come back when a request uses it that began before its end', async () => {
    const text = await start();
    const found = await findSession(table, text, later(HOUR));
    if (found === undefined) throw new Error('no session');
    await sessions.end(organization, found.session.id);
    expect(await useSession(table, organization, found.session, later(HOUR))).toBe(false);
    expect(await sessions.authenticated(organization, found.session, later(HOUR))).toBe(false);
    expect(await isThere(text, later(HOUR))).toBe(false);
    expect(await sessions.list(organization, undefined, now)).toEqual([]);
  });

  test('ends when its token is revoked or expires', async () => {
    const revoked = await issue();
    const text = await start(revoked);
    await organizationStore(table).revokeToken(revoked, now);
    expect(await isThere(text, now)).toBe(false);
    const short = await start(await issue({ expiresAt: later(60) }));
    expect([await isThere(short, later(59)), await isThere(short, later(60))]).toEqual([true, false]);
  });

  test('needs a token of its organization', async () => {
    const { id: other } = await organizationStore(table).create('Other', now);
    const text = await start({ ...(await issue()), organization: other });
    expect(await isThere(text, now)).toBe(false);
  });

  test('is found only by its whole text', async () => {
    const token = await issue();
    const text = await start(token);
    const [, , secret = ''] = text.split('.');
    expect(secret).toHaveLength(43);
    const { id } = await issue();
    const link = await sessions.createLink(token, now);
    for (const other of [
      ...[
        '',
        secret,
        `${text}x`,
        text.slice(0, -1),
        `${text}.`,
        `${organization}.${token.id}.${'x'.repeat(43)}`,
      ],
      ...[`${organization}.${id}.${secret}`, `other.${token.id}.${secret}`, link],
    ])
      expect([other, await isThere(other, now)]).toEqual([other, false]);
  });

  test('is stored without its secret, and with the beginning of the name of its browser', async () => {
    const text = await start(undefined, `\u202e${'x'.repeat(200)}`);
    const query = startingWith(sessionsOf('SESSION', organization));
    const [item] = await table.query(query, z.looseObject({}));
    expect(JSON.stringify(item)).not.toContain(text.split('.')[2]);
    expect(item).toMatchObject({
      client: `\\u{202e}${'x'.repeat(159)}...`,
      expiresAt: later(12 * HOUR).getTime() / 1000,
    });
  });
});

describe('the sessions of an organization', () => {
  test('are listed with the last used first, without those that are over', async () => {
    const [one, two] = [await issue(), await issue()];
    await start(one, 'idle', later(-3 * HOUR));
    const used = await start(one, 'used', later(-HOUR));
    await start(two, 'new', later(-60));
    await request(used, now);
    const clients = async (tokenId?: string) =>
      (await sessions.list(organization, tokenId, now)).map(({ client }) => client);
    expect(await clients()).toEqual(['used', 'new']);
    expect(await clients(two.id)).toEqual(['new']);
    const [first] = await sessions.list(organization, one.id, now);
    expect(first).toMatchObject({
      ...{ tokenId: one.id, startedAt: later(-HOUR).toISOString(), lastUsedAt: now.toISOString() },
      ...{ authenticatedAt: later(-HOUR).toISOString() },
    });
  });

  test('know when the person proved who they are, which is not later than now', async () => {
    const proven = async (authenticatedAt: Date) => {
      const text = await sessions.start(await issue(), 'Browser', now, { authenticatedAt });
      return (await findSession(table, text, now))?.session.authenticatedAt;
    };
    expect(await proven(later(-1))).toBe(later(-1).toISOString());
    expect(await proven(later(1))).toBe(now.toISOString());
  });

  test('end together with the links, or those of one token', async () => {
    const [one, two] = [await issue(), await issue()];
    const texts = [await start(one), await start(one), await start(two)];
    const links = [await sessions.createLink(one, now), await sessions.createLink(two, now)];
    const there = () => Promise.all(texts.map((text) => isThere(text, now)));
    await sessions.endAll(organization, one.id);
    expect(await there()).toEqual([false, false, true]);
    expect(await sessions.takeLink(links[0] ?? '', now)).toBeUndefined();
    await sessions.endAll(organization);
    expect(await there()).toEqual([false, false, false]);
    expect(await sessions.takeLink(links[1] ?? '', now)).toBeUndefined();
  });

  test('leave those of another organization alone', async () => {
    const text = await start();
    const { session } = (await findSession(table, text, now)) ?? {};
    const { id } = await organizationStore(table).create('Other', now);
    await sessions.endAll(id);
    await sessions.end(id, session?.id ?? '');
    expect(await sessions.list(id, undefined, now)).toEqual([]);
    expect(await isThere(text, now)).toBe(true);
  });

  test('are limited for each token: a further one ends the one that was not used for longest', async () => {
    const token = await issue();
    const other = await start();
    const texts: string[] = [];
    for (let n = 0; n <= MAX_SESSIONS_PER_TOKEN; n += 1) texts.push(await start(token, '', later(n)));
    const alive = await Promise.all(texts.map((text) => isThere(text, later(60))));
    expect(alive).toEqual([false, ...texts.slice(1).map(() => true)]);
    expect(await sessions.list(organization, token.id, later(60))).toHaveLength(MAX_SESSIONS_PER_TOKEN);
    await sessions.endAll(organization, token.id);
    expect(await sessions.list(organization, token.id, later(60))).toEqual([]);
    expect(await isThere(other, later(60))).toBe(true);
  });
});

describe('a one-time link', () => {
  test('has the token that it is for, once', async () => {
    const token = await issue();
    const link = await sessions.createLink(token, now);
    expect((await sessions.takeLink(link, later(15 * 60 - 1)))?.id).toBe(token.id);
    expect(await sessions.takeLink(link, now)).toBeUndefined();
  });

  test('is for one of two people who use it at the same time', async () => {
    const link = await sessions.createLink(await issue(), now);
    const slower = sessionStore({
      ...table,
      async delete(...what) {
        expect(await sessions.takeLink(link, now)).toBeDefined();
        return table.delete(...what);
      },
    });
    expect(await slower.takeLink(link, now)).toBeUndefined();
  });

  test('is worth nothing after 15 minutes, without its token, or as a session', async () => {
    const token = await issue();
    const link = await sessions.createLink(token, now);
    expect(await sessions.takeLink(link, later(15 * 60))).toBeUndefined();
    expect(await sessions.takeLink(await start(token), now)).toBeUndefined();
    await organizationStore(table).revokeToken(token, now);
    expect(await sessions.takeLink(link, now)).toBeUndefined();
  });
});
