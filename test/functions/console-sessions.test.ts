/** Sessions of the console after signing in: which requests have one, who ends them, and what needs a new proof. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as createToken } from '../../functions/console-settings/create-token.ts';
import { handler as endSessions } from '../../functions/console-settings/end-sessions.ts';
import { handler as revokeToken } from '../../functions/console-settings/revoke-token.ts';
import { handler as saveNotifications } from '../../functions/console-settings/save-notifications.ts';
import { handler as showSettings } from '../../functions/console-settings/show.ts';
import { keepsSession } from '../../shared/runtime/http/session-cookie.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { type NewToken, organizationStore } from '../../shared/store/organizations.ts';
import { findSession, formTokenOf, type SessionToken, sessionStore } from '../../shared/store/sessions.ts';
import { consoleTable, send } from '../kit/console.ts';
import type { EmptyTable } from '../kit/table.ts';

const now = new Date();
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const HOUR = 3600;

let table: EmptyTable;
let organization: string;

beforeAll(async () => {
  table = await consoleTable();
});
afterAll(() => table.stop());
beforeEach(async () => {
  organization = (await organizationStore(table).create('Org', now)).id;
});

const issue = (given: Partial<NewToken> = {}, owner = organization) =>
  organizationStore(table).createToken(owner, { name: 'me', label: 'svc', ...given }, now);
const start = (token: SessionToken, at = now, client = 'Browser') =>
  sessionStore(table).start(token, client, at);
const session = async (given: Partial<NewToken> = {}, at = now) => start((await issue(given)).info, at);
const idOf = async (text: string) => (await findSession(table, text, now))?.session.id ?? 'over';
const isSignedIn = async (cookie: string) => (await send(domains, { cookie })).statusCode === 200;

describe('a request', () => {
  test('with two session cookies has none', async () => {
    const [one, two] = [await session(), await session()];
    for (const cookie of [
      [one, two],
      [one, one],
      [one, 'x'],
      ['x', one],
    ]) {
      const answer = await send(domains, { cookie });
      expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console/sign-in']);
    }
    expect(await isSignedIn(one)).toBe(true);
  });

  test('two hours after the last one leads to signing in', async () => {
    expect(await isSignedIn(await session({}, ago(2 * HOUR - 60)))).toBe(true);
    expect(await isSignedIn(await session({}, ago(2 * HOUR)))).toBe(false);
  });

  test('is stored as the last use', async () => {
    const cookie = await session({}, ago(HOUR));
    await send(domains, { cookie });
    const found = await findSession(table, cookie, now);
    expect(Date.parse(found?.session.lastUsedAt ?? '')).toBeGreaterThanOrEqual(now.getTime());
  });

  test('from a network that the token excludes is not', async () => {
    const cookie = await session({ networks: ['198.51.100.0/24'] }, ago(HOUR));
    expect((await send(domains, { cookie })).statusCode).toBe(403);
    expect((await findSession(table, cookie, now))?.session.lastUsedAt).toBe(ago(HOUR).toISOString());
  });
});

test.each([
  ['https://monitor.example', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://monitor.example', false],
  ['http://127.0.0.1.example', false],
  ['http://192.0.2.1', false],
])('browsers keep the session of %s: %p', (hostUrl, isKept) => {
  expect(keepsSession(hostUrl)).toBe(isKept);
});

describe('the list of sessions', () => {
  const listed = async (cookie: string) => {
    const { body = '' } = await send(showSettings, { cookie });
    return body.slice(body.indexOf('id="sessions"'), body.indexOf('id="limits"'));
  };

  test('shows all of the organization to an admin, with their tokens and browsers', async () => {
    const { info } = await issue({ name: 'reader', scope: 'read' });
    await start(info, ago(HOUR), '<b>Old</b> browser');
    const gone = await issue({ name: 'gone' });
    await start(gone.info);
    await organizationStore(table).revokeToken(gone.info, now);
    const page = await listed(await session({ name: 'mine' }));
    for (const shown of ['mine', 'reader', info.id.slice(0, 13), '&lt;b&gt;Old&lt;/b&gt; browser'])
      expect(page).toContain(shown);
    expect(page.match(/this session/g)).toHaveLength(2);
    expect(page).not.toContain('gone');
    expect(page).toContain('all sessions of the organization');
  });

  test('shows only those of its own token to another scope', async () => {
    await session({ name: 'mine' });
    const { info } = await issue({ name: 'reader', scope: 'read' });
    await start(info, now, 'Other browser');
    const page = await listed(await start(info));
    expect(page).toContain('Other browser');
    expect(page).not.toContain('mine');
  });

  test('is short, however many there are', async () => {
    const { info } = await issue();
    for (let n = 0; n < 30; n += 1) await start(info);
    const page = await listed(await start(info));
    expect(page.match(/<td><button/g)).toHaveLength(20);
    expect(page).toContain('and 11 more sessions');
  });
});

describe('ending', () => {
  const end = (cookie: string, id: string) =>
    send(endSessions, { cookie, form: { formToken: formTokenOf(cookie), id } });
  const audited = async () =>
    (await auditStore(table).list(organization, {}, { page: 1, limit: 9 }, now)).entries.map(
      ({ action, subject, name }) => ({ action, subject, name }),
    );

  test('one session leaves the others, and is in the audit log', async () => {
    const { info } = await issue();
    const [own, other, third] = [await start(info), await start(info), await start(info)];
    const answer = await end(own, await idOf(other));
    expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console/settings#sessions']);
    expect(await Promise.all([own, other, third].map(isSignedIn))).toEqual([true, false, true]);
    expect(await audited()).toEqual([{ action: 'endSessions', subject: info.id, name: null }]);
  });

  test('the own one signs out', async () => {
    const own = await session({ scope: 'read' });
    const answer = await end(own, await idOf(own));
    expect([answer.headers?.location, answer.headers?.['set-cookie']]).toEqual([
      '/console/sign-in',
      expect.stringContaining('Max-Age=0'),
    ]);
    expect(await isSignedIn(own)).toBe(false);
  });

  test('everywhere ends all sessions and links of the organization', async () => {
    const { info } = await issue();
    const [own, other] = [await start(info), await session({ scope: 'read' })];
    const link = await sessionStore(table).createLink(info, now);
    const answer = await end(own, 'all');
    expect(answer.headers?.location).toBe('/console/sign-in');
    expect(await Promise.all([own, other].map(isSignedIn))).toEqual([false, false]);
    expect(await sessionStore(table).takeLink(link, now)).toBeUndefined();
    expect(await audited()).toEqual([{ action: 'endSessions', subject: null, name: 'all sessions' }]);
  });

  test('everywhere ends those of the own token only without the scope admin', async () => {
    const { info } = await issue({ scope: 'write', name: 'writer' });
    const [own, second, other] = [await start(info), await start(info), await session()];
    await end(own, 'all');
    expect(await Promise.all([own, second, other].map(isSignedIn))).toEqual([false, false, true]);
    expect(await audited()).toEqual([{ action: 'endSessions', subject: null, name: 'writer' }]);
  });

  test('a session of another token needs the scope admin', async () => {
    const other = await session();
    const answer = await end(await session({ scope: 'write' }), await idOf(other));
    expect([answer.statusCode, await isSignedIn(other)]).toEqual([404, true]);
    expect(await audited()).toEqual([]);
  });

  test('reaches no session of another organization', async () => {
    const other = await session();
    const { id } = await organizationStore(table).create('Other', now);
    const { info } = await issue({}, id);
    const own = await start(info);
    await end(own, await idOf(other));
    await end(own, 'all');
    expect(await isSignedIn(other)).toBe(true);
  });

  test.each(['', 'every', '../x', `a#${'f'.repeat(63)}`])('%p is no session', async (id) => {
    expect((await end(await session(), id)).statusCode).toBe(400);
  });
});

describe('after ten minutes, a proof is needed', () => {
  const PROOF = 600;

  /** Each form that needs one, with what was entered, and whether it was done. */
  const forms = [
    {
      what: 'to create a token',
      post: async (cookie: string, proof: Readonly<Record<string, string>>) =>
        send(createToken, {
          cookie,
          form: { formToken: formTokenOf(cookie), name: 'new "one"', scope: 'read', ...proof },
        }),
      kept: 'name="name" value="new &quot;one&quot;"',
      isDone: async () =>
        (await organizationStore(table).listTokens(organization)).some(({ name }) => name === 'new "one"'),
    },
    {
      what: 'to revoke a token',
      post: async (cookie: string, proof: Readonly<Record<string, string>>) => {
        const tokens = await organizationStore(table).listTokens(organization);
        const victim = tokens.find(({ name }) => name === 'victim') ?? (await issue({ name: 'victim' })).info;
        return send(revokeToken, {
          cookie,
          form: { formToken: formTokenOf(cookie), id: victim.id, ...proof },
        });
      },
      kept: 'name="id" value="',
      isDone: async () =>
        (await organizationStore(table).listTokens(organization)).some(({ revokedAt }) => revokedAt !== null),
    },
    {
      what: 'to change notifications',
      post: async (cookie: string, proof: Readonly<Record<string, string>>) =>
        send(saveNotifications, {
          cookie,
          form: {
            ...{ formToken: formTokenOf(cookie), address: 'ops@example.org' },
            ...{ digest: 'off', digestWeekday: 'monday', digestHour: '6', digestTimeZone: 'UTC' },
            ...{ mailThreshold: 'warning', webhookThreshold: 'info', format: 'json', ...proof },
            'report.received': 'on',
          },
        }),
      kept: 'name="report.received" value="on"',
      isDone: async () => (await notificationSettingsStore(table).get(organization)).mail !== null,
    },
  ];

  test.each(forms)('$what; what was entered is sent again with it', async ({ post, kept, isDone }) => {
    const { token, info } = await issue();
    const cookie = await start(info, ago(PROOF));
    const asked = await post(cookie, {});
    expect([asked.statusCode, await isDone()]).toEqual([403, false]);
    expect(asked.body).toContain('Confirm that it is you');
    expect(asked.body).toContain(kept);
    const wrong = await post(cookie, { proof: `${token}x` });
    expect([wrong.statusCode, await isDone()]).toEqual([403, false]);
    expect(wrong.body).toContain('role="alert"');
    expect(wrong.body).not.toContain(token);
    const done = await post(cookie, { proof: ` ${token} ` });
    expect([done.statusCode, await isDone()]).toEqual([200, true]);
    const { entries } = await auditStore(table).list(organization, {}, { page: 1, limit: 9 }, now);
    expect(entries).toHaveLength(1);
  });

  test.each(forms)('$what, but not right after signing in', async ({ post, isDone }) => {
    const done = await post(await session({}, ago(PROOF - 60)), {});
    expect([done.statusCode, await isDone()]).toEqual([200, true]);
  });

  const [create] = forms;
  if (create === undefined) throw new Error('no forms');

  test('once: the next form in ten minutes needs none', async () => {
    const { token, info } = await issue();
    const cookie = await start(info, ago(PROOF));
    await create.post(cookie, { proof: token });
    expect((await create.post(cookie, {})).statusCode).toBe(200);
  });

  test('which can be a new one-time link, once', async () => {
    const { info } = await issue();
    const link = `https://monitor.example/console/sign-in?link=${await sessionStore(table).createLink(info, now)}`;
    const [one, two] = [await start(info, ago(PROOF)), await start(info, ago(PROOF))];
    expect((await create.post(one, { proof: link })).statusCode).toBe(200);
    expect((await create.post(two, { proof: link })).statusCode).toBe(403);
  });

  test('which is no token with fewer rights, of elsewhere, or that is over', async () => {
    const cookie = await session({}, ago(PROOF));
    const { id } = await organizationStore(table).create('Other', now);
    const foreign = await issue({}, id);
    const foreignLink = await sessionStore(table).createLink(foreign.info, now);
    const revoked = await issue();
    await organizationStore(table).revokeToken(revoked.info, now);
    for (const proof of [
      (await issue({ scope: 'write' })).token,
      (await issue({ networks: ['198.51.100.0/24'] })).token,
      foreign.token,
      revoked.token,
      `https://monitor.example/?link=${foreignLink}`,
      cookie,
      'https://monitor.example/?link=',
    ])
      expect([proof, (await create.post(cookie, { proof })).statusCode]).toEqual([proof, 403]);
    expect(await create.isDone()).toBe(false);
    expect((await sessionStore(table).takeLink(foreignLink, now))?.id).toBe(foreign.info.id);
  });
});
