/** Sessions of the console after signing in: which requests have one, who ends them, and what needs a new proof. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import * as z from 'zod/mini';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as signIn } from '../../functions/console/sign-in.ts';
import { handler as askInSettings } from '../../functions/console-settings/ask.ts';
import { handler as confirm } from '../../functions/console-settings/confirm.ts';
import { handler as createToken } from '../../functions/console-settings/create-token.ts';
import { handler as endSessions } from '../../functions/console-settings/end-sessions.ts';
import { handler as revokeToken } from '../../functions/console-settings/revoke-token.ts';
import { handler as saveNotifications } from '../../functions/console-settings/save-notifications.ts';
import { handler as showSettings } from '../../functions/console-settings/show.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { octets } from '../../shared/store/item-schema.ts';
import { sessionsOf } from '../../shared/store/keys.ts';
import { type NewToken, organizationStore } from '../../shared/store/organizations.ts';
import { startingWith } from '../../shared/store/query.ts';
import { unseal } from '../../shared/store/sealed.ts';
import { findSession, formTokenOf, type SessionToken, sessionStore } from '../../shared/store/sessions.ts';
import { consoleTable, cookieIn, follow, ledTo, send } from '../kit/console.ts';
import { use } from '../kit/use.ts';

const now = new Date();
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const HOUR = 3600;

let organization: string;

const table = await use(consoleTable());
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
      expect([answer.statusCode, answer.headers?.location]).toEqual([
        303,
        '/console/sign-in?to=%2Fconsole%2Fdomains',
      ]);
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
    expect([answer.statusCode, answer.headers?.location]).toEqual([
      303,
      expect.stringMatching(/^\/console\/settings\?flash=/),
    ]);
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
    expect([ledTo(answer), await isSignedIn(other)]).toEqual(['/console/settings', true]);
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
    expect([ledTo(asked), await isDone()]).toEqual(['/console/confirm', false]);
    const question = await follow(confirm, asked, { cookie });
    expect(question.body).toContain('Confirm that it is you');
    expect(question.body).toContain(kept);
    // The page can be loaded again.
    expect((await follow(confirm, asked, { cookie })).body).toContain(kept);
    const wrong = await post(cookie, { proof: `${token}x` });
    expect([ledTo(wrong), await isDone()]).toEqual(['/console/confirm', false]);
    const refused = await follow(confirm, wrong, { cookie });
    expect(refused.body).toContain('role="alert"');
    expect(refused.body).toContain(kept);
    expect(refused.body).not.toContain(token);
    const done = await post(cookie, { proof: ` ${token} ` });
    expect([ledTo(done), await isDone()]).toEqual(['/console/settings', true]);
    expect((await follow(showSettings, done, { cookie })).body).toContain('role="status"');
    const { entries } = await auditStore(table).list(organization, {}, { page: 1, limit: 9 }, now);
    expect(entries).toHaveLength(1);
  });

  test.each(forms)('$what, but not right after signing in', async ({ post, isDone }) => {
    const done = await post(await session({}, ago(PROOF - 60)), {});
    expect([ledTo(done), await isDone()]).toEqual(['/console/settings', true]);
  });

  const [create] = forms;
  if (create === undefined) throw new Error('no forms');

  test('once: the next form in ten minutes needs none', async () => {
    const { token, info } = await issue();
    const cookie = await start(info, ago(PROOF));
    await create.post(cookie, { proof: token });
    expect(ledTo(await create.post(cookie, {}))).toBe('/console/settings');
  });

  test('which can be a new one-time link, once', async () => {
    const { info } = await issue();
    const link = `https://monitor.example/console/sign-in?link=${await sessionStore(table).createLink(info, now)}`;
    const [one, two] = [await start(info, ago(PROOF)), await start(info, ago(PROOF))];
    expect(ledTo(await create.post(one, { proof: link }))).toBe('/console/settings');
    expect(ledTo(await create.post(two, { proof: link }))).toBe('/console/confirm');
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
      expect([proof, ledTo(await create.post(cookie, { proof }))]).toEqual([proof, '/console/confirm']);
    expect(await create.isDone()).toBe(false);
    expect((await sessionStore(table).takeLink(foreignLink, now))?.id).toBe(foreign.info.id);
  });
});

describe('what a form did', () => {
  const create = (cookie: string, more: Readonly<Record<string, string>> = {}) =>
    send(createToken, {
      cookie,
      form: { formToken: formTokenOf(cookie), name: 'export', scope: 'read', ...more },
    });
  const secretIn = (body = '') => /id="secret"><code>([\w-]+)</.exec(body)?.[1];

  test('is shown once, with its secret, to the session that sent it', async () => {
    const cookie = await session();
    const made = await create(cookie);
    const { token, info } = await issue({ scope: 'read' });
    const other = await start(info);
    expect(secretIn((await follow(showSettings, made, { cookie: other })).body)).toBeUndefined();
    const shown = await follow(showSettings, made, { cookie });
    expect(shown.body).toContain('The token export is created.');
    expect(secretIn(shown.body)).toMatch(/^svc_[\w-]{40,}$/);
    expect(shown.headers).toMatchObject({ 'cache-control': 'no-store' });
    const again = await follow(showSettings, made, { cookie });
    expect([again.statusCode, again.body?.includes('is created')]).toEqual([200, false]);
    expect(again.body).not.toContain(secretIn(shown.body));
    expect(token).not.toBe(secretIn(shown.body));
  });

  test('is stored so that nobody can read it without the cookie', async () => {
    const cookie = await session();
    const made = await create(cookie);
    const items = await table.query(
      startingWith(sessionsOf('FLASH', organization)),
      z.object({ sk: z.string(), content: z.optional(octets), expiresAt: z.number() }),
    );
    expect(items).toHaveLength(1);
    const [item] = items;
    expect(item?.expiresAt).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 15 * 60);
    expect(() => unseal(item?.content ?? new Uint8Array(), `${cookie}x`, 'flash')).toThrow();
    const secret = secretIn((await follow(showSettings, made, { cookie })).body);
    expect(JSON.stringify(unseal(item?.content ?? new Uint8Array(), cookie, 'flash'))).toContain(secret);
  });

  test('leads back to the page that the browser names, but not elsewhere', async () => {
    const cookie = await session();
    const from = async (referer: string) => {
      const form = { formToken: formTokenOf(cookie), name: '', scope: 'read' };
      return ledTo(await send(createToken, { cookie, form, headers: { referer, host: 'monitor.example' } }));
    };
    expect(await from('https://monitor.example/console/settings?page=2&flash=x')).toBe(
      '/console/settings?page=2',
    );
    expect(await from('https://evil.example/console/alerts')).toBe('/console/settings');
  });
});

describe('what cannot be undone', () => {
  const ask = async (cookie: string, query: string) => send(askInSettings, { cookie, query });

  test('is asked on a page: revoking a token, and the one of the session', async () => {
    const { info } = await issue({ name: '<b>mine</b>' });
    const cookie = await start(info);
    const { info: other } = await issue({ name: 'other' });
    const page = (await ask(cookie, `about=token&id=${other.id}&created=on`)).body ?? '';
    expect(page).toContain('name="created" value="on"');
    expect(page).not.toContain('you will be signed out');
    const own = (await ask(cookie, `about=token&id=${info.id}`)).body ?? '';
    expect(own).toContain('&lt;b&gt;mine&lt;/b&gt;');
    expect(own).toContain('you will be signed out');
    const form = { formToken: formTokenOf(cookie), id: info.id };
    const revoked = await send(revokeToken, { cookie, form });
    expect([revoked.headers?.location, revoked.headers?.['set-cookie']]).toEqual([
      '/console/sign-in',
      expect.stringContaining('Max-Age=0'),
    ]);
  });

  test('is asked on a page: signing out everywhere', async () => {
    expect((await ask(await session(), 'about=sessions')).body).toContain('all sessions of the organization');
    expect((await ask(await session({ scope: 'read' }), 'about=sessions')).body).toContain('of your token');
  });

  test('is not asked about tokens of others, or by who cannot revoke them', async () => {
    const { id } = await organizationStore(table).create('Other', now);
    const foreign = await issue({}, id);
    const { info } = await issue();
    expect((await ask(await session(), `about=token&id=${foreign.info.id}`)).statusCode).toBe(404);
    expect((await ask(await session({ scope: 'write' }), `about=token&id=${info.id}`)).statusCode).toBe(404);
  });
});

describe('a form whose session has ended', () => {
  const ended = 2 * HOUR;
  /** The browser names a page of another host, where nothing leads back to. */
  const headers = { referer: 'https://evil.example/console/alerts', host: 'monitor.example' };
  const post = async (cookie: string, formToken = formTokenOf(cookie)) => {
    const form = { formToken, name: 'kept <one>', scope: 'write', proof: 'secret' };
    return send(createToken, { cookie, form, headers });
  };
  const keptIn = (headers: Awaited<ReturnType<typeof send>>['headers']) =>
    /^(__Host-form=[\w-]+); Path=\/; HttpOnly; Secure; SameSite=Lax; /.exec(
      String(headers?.['set-cookie']),
    )?.[1];

  test('leads back to its page after signing in, with what was typed', async () => {
    const { token, info } = await issue();
    const cookie = await start(info, ago(ended));
    const answer = await post(cookie);
    expect([answer.statusCode, answer.headers?.location]).toEqual([
      303,
      '/console/sign-in?to=%2Fconsole%2Fsettings',
    ]);
    const kept = keptIn(answer.headers) ?? '';
    const form = { token, to: '/console/settings' };
    const signedIn = await send(signIn, { form, headers: {}, cookies: [kept] });
    const now = cookieIn(signedIn.headers) ?? '';
    const shown = await follow(showSettings, signedIn, { cookie: now, cookies: [kept] });
    const { body = '' } = shown;
    expect(body).toContain(
      'Your session had ended, so nothing was done. What you entered is filled in again',
    );
    // The cookie has done its work.
    expect(shown.headers?.['set-cookie']).toMatch(/^__Host-form=; .*Max-Age=0$/);
    expect(body).toContain('value="kept &lt;one&gt;"');
    expect(body).toContain('<option value="write" selected>');
    expect(body).not.toContain('secret"');
    expect(await organizationStore(table).listTokens(organization)).toHaveLength(1);
    // Not to another organization.
    const { id } = await organizationStore(table).create('Other', new Date());
    const other = await issue({}, id);
    const elsewhere = await send(signIn, { form: { ...form, token: other.token }, cookies: [kept] });
    expect(elsewhere.headers?.location).toBe('/console/settings');
  });

  test('is not kept if it is not from a page of the session, and nothing malformed is read', async () => {
    const cookie = await session({}, ago(ended));
    const foreign = await post(cookie, 'x');
    expect([foreign.headers?.location, keptIn(foreign.headers)]).toEqual(['/console/sign-in', undefined]);
    const { token } = await issue();
    for (const value of ['', 'x', 'AAAA', 'q1YqSS0uUbJSKkktLlGqBQA']) {
      const cookies = [`__Host-form=${value}`];
      const answer = await send(signIn, { form: { token, to: '/console/settings' }, cookies });
      expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console/settings']);
    }
  });
});
