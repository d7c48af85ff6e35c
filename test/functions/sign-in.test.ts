/** Signing in to the console at a real identity provider, and what members do there. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as signInWithToken } from '../../functions/console/sign-in.ts';
import { handler as signInPage } from '../../functions/console/sign-in-page.ts';
import { handler as signOut } from '../../functions/console/sign-out.ts';
import { handler as ask } from '../../functions/console-people/ask.ts';
import { handler as changePreferences } from '../../functions/console-people/change-preferences.ts';
import { handler as changeRole } from '../../functions/console-people/change-role.ts';
import { handler as invite } from '../../functions/console-people/invite.ts';
import { handler as leave } from '../../functions/console-people/leave.ts';
import { handler as remove } from '../../functions/console-people/remove.ts';
import { handler as showMembers } from '../../functions/console-people/show.ts';
import { handler as switchOrganization } from '../../functions/console-people/switch.ts';
import { handler as createToken } from '../../functions/console-settings/create-token.ts';
import { handler as endSessions } from '../../functions/console-settings/end-sessions.ts';
import { handler as showSettings } from '../../functions/console-settings/show.ts';
import { handler as finish } from '../../functions/sign-in/finish.ts';
import { handler as showInvitation } from '../../functions/sign-in/invitation.ts';
import { handler as leaveProvider } from '../../functions/sign-in/leave.ts';
import { handler as start } from '../../functions/sign-in/start.ts';
import { systemClock } from '../../shared/network/clock.ts';
import { createDialer } from '../../shared/network/dialer.ts';
import { createIdentityProvider } from '../../shared/network/identity-provider.ts';
import { type IdentityProvider, ProviderProblem } from '../../shared/network/identity-provider-port.ts';
import { createWeb } from '../../shared/network/web.ts';
import type { Mail } from '../../shared/notify/mail.ts';
import type { FailedSignIn } from '../../shared/operations/people/sign-in-person.ts';
import { switchOrganization as switchSession } from '../../shared/operations/people/switch-organization.ts';
import type { Scope } from '../../shared/protocol/scope.ts';
import { signInPersonDependencies } from '../../shared/runtime/dependencies/sign-in.ts';
import { observeLines } from '../../shared/runtime/logging/metric.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { invitationStore } from '../../shared/store/invitations.ts';
import { memberStore, personIdOf } from '../../shared/store/members.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { personStore } from '../../shared/store/people.ts';
import { findSession, formTokenOf, sessionStore } from '../../shared/store/sessions.ts';
import { createAuthority } from '../kit/certificates.ts';
import { consoleTable, cookieIn, follow, ledTo, type Sent, send } from '../kit/console.ts';
import { PROVIDER_CLIENT, PROVIDER_HOST, startIdentityProvider } from '../kit/identity-provider.ts';
import { join } from '../kit/members.ts';
import { callerWith } from '../kit/operations.ts';
import { use } from '../kit/use.ts';
import { zone } from '../kit/zone.ts';

const HOST_URL = 'http://localhost:3000';
const returnUrl = `${HOST_URL}/console/sign-in/return`;
const issuer = `https://${PROVIDER_HOST}`;
const jo = { subject: 'jo', email: 'jo@example.org', email_verified: true };

const now = new Date();
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const authority = createAuthority();

let organization: string;

const table = await use(consoleTable());
Object.assign(process.env, { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: PROVIDER_CLIENT.clientId, HOST_URL });
process.env.TOOL_RATE_PER_MINUTE = '0';
const server = await use(startIdentityProvider(authority.issue([PROVIDER_HOST]), { returnUrl }));
const dialMap = new Map([[`${PROVIDER_HOST}:443`, { address: '127.0.0.1', port: server.port }]]);
const dialer = createDialer({ dns: zone({}), privateAddresses: 'allow', dialMap });
const urls = { returnUrl, signedOutUrl: `${HOST_URL}/console/sign-in` };
const web = createWeb({ dialer, extraCa: authority.cert });
const provider = createIdentityProvider({ issuer, ...PROVIDER_CLIENT, ...urls }, web, systemClock);
beforeEach(async () => {
  organization = (await organizationStore(table).create('Org', now)).id;
});

const down: IdentityProvider = {
  newAttempt: (isFresh) => provider.newAttempt(isFresh),
  signInUrl: () => Promise.reject(new ProviderProblem('unreachable', 'login.test: timeout')),
  identityIn: () => Promise.reject(new ProviderProblem('unreachable', 'login.test: timeout')),
  signOutUrl: () => Promise.reject(new ProviderProblem('unreachable', 'login.test: timeout')),
};

/** Follows a link of a page of the service. */
const begin = (query = '', by = provider, cookie?: string) =>
  send(start.with({ provider: by, clock: systemClock }), {
    ...{ query, ...(cookie !== undefined && { cookie }) },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
/** The cookie of an attempt, as `name=value`. */
const attemptOf = ({ headers }: Awaited<ReturnType<typeof send>>) =>
  String(headers?.['set-cookie']).split(';')[0] ?? '';
const stateOf = ({ headers }: Awaited<ReturnType<typeof send>>) =>
  new URL(String(headers?.location)).searchParams.get('state') ?? '';
const end = (query: string, cookies: readonly string[], by = provider, headers: Sent['headers'] = {}) =>
  send(finish.with({ ...signInPersonDependencies(), provider: by }), { query, cookies, headers });

/** Signs in from the beginning. */
async function signIn(account = jo, query = '') {
  const started = await begin(query);
  const answer = await server.signIn(String(started.headers?.location), account);
  return end(answer.search.slice(1), [attemptOf(started)]);
}
const sessionOf = ({ cookies = [] }: Awaited<ReturnType<typeof send>>) =>
  /^__Host-session=([\w.-]+);/.exec(cookies[0] ?? '')?.[1] ?? '';
const isSignedIn = async (cookie: string) => (await send(domains, { cookie })).statusCode === 200;

const invitation = async (mail = jo.email, scope: Scope = 'read') =>
  (await invitationStore(table).create({ organization, mail, scope, by: null }, now)).text;
const linkQuery = (link: string) => new URLSearchParams({ link }).toString();
const personOf = (subject: string) => personIdOf({ issuer, subject });
const member = (subject: string, scope: Scope) =>
  join(table, organization, personOf(`${subject}-${organization}`), scope, now);
const account = (subject: string) => ({ ...jo, subject: `${subject}-${organization}` });

describe('an invitation', () => {
  test('is a page that leads to the provider, and makes a member who is signed in', async () => {
    const link = await invitation();
    const page = await send(showInvitation, { query: linkQuery(link) });
    expect(page.body).toContain('Invitation to Org');
    expect(page.body).toContain(`href="/console/sign-in/provider?link=${link}"`);
    const answer = await signIn(account('a'), linkQuery(link));
    expect([answer.statusCode, answer.cookies]).toEqual([
      200,
      [
        expect.stringMatching(/^__Host-session=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict;/),
        expect.stringMatching(/^__Host-provider=; .*Max-Age=0$/),
        expect.stringMatching(/^__Host-browser=[\w-]{43}; /),
      ],
    ]);
    expect(answer.body).toContain('<meta http-equiv="refresh" content="0;url=/console">');
    expect(await isSignedIn(sessionOf(answer))).toBe(true);
    const { entries } = await auditStore(table).list(organization, {}, { page: 1, limit: 9 }, new Date());
    expect(entries).toMatchObject([
      {
        ...{ action: 'signInPerson', name: jo.email, clientAddress: '192.0.2.1' },
        changes: [{ field: 'role', before: null, after: 'viewer' }],
      },
    ]);
  });

  test.each([
    [
      'for another address',
      async () => signIn({ ...account('a'), email: 'eve@example.org' }, linkQuery(await invitation())),
    ],
    [
      'whose address is not verified',
      async () => signIn({ ...account('a'), email_verified: false }, linkQuery(await invitation())),
    ],
    ['that is unknown', async () => signIn(account('a'), linkQuery('x'))],
  ])('%s makes nobody a member', async (_what, attempt) => {
    const answer = await attempt();
    expect([answer.statusCode, answer.headers?.location]).toEqual([
      303,
      '/console/sign-in?failed=invitation',
    ]);
    expect(await organizationStore(table).listTokens(organization)).toEqual([]);
  });

  test.each(['cross-site', 'same-site', 'none', undefined])(
    'is accepted, and a sign-in begins, on a page of the service only: a start from %s leads there',
    async (site) => {
      const link = linkQuery(await invitation());
      const headers: Sent['headers'] = site === undefined ? {} : { 'sec-fetch-site': site };
      for (const [query, page] of [
        [link, `/console/invitation?${link}`],
        ['', '/console/sign-in'],
        ['to=%2Fconsole%2Falerts', '/console/sign-in?to=%2Fconsole%2Falerts'],
      ] as const) {
        const started = await send(start.with({ provider, clock: systemClock }), { query, headers });
        expect([started.headers?.location, started.headers?.['set-cookie']]).toEqual([page, undefined]);
      }
    },
  );

  test('is used up by somebody who is a member already', async () => {
    const own = await member('a', 'read');
    const link = await invitation(jo.email, 'admin');
    const used = await signIn(account('a'), linkQuery(link));
    expect((await findSession(table, sessionOf(used), new Date()))?.token.id).toBe(own.id);
    expect(await invitationStore(table).list(organization, now)).toEqual([]);
  });

  test('of a second organization leaves where the next sign-in leads', async () => {
    const other = (await organizationStore(table).create('Own', now)).id;
    const own = await join(table, other, personOf(`a-${organization}`), 'read', now);
    await signIn(account('a'));
    const joined = await signIn(account('a'), linkQuery(await invitation()));
    const next = await signIn(account('a'));
    const organizationIn = async (answer: typeof next) =>
      (await findSession(table, sessionOf(answer), new Date()))?.token.organization;
    expect([await organizationIn(joined), await organizationIn(next)]).toEqual([
      organization,
      own.organization,
    ]);
  });

  test('that is unknown is no page', async () => {
    const answer = await send(showInvitation, { query: linkQuery('x') });
    expect(answer.headers?.location).toBe('/console/sign-in?failed=invitation');
  });
});

describe('signing in', () => {
  test('is bound to the browser that began it, and to one answer', async () => {
    await member('a', 'read');
    const started = await begin();
    const other = await begin();
    const answer = await server.signIn(String(started.headers?.location), account('a'));
    const query = answer.search.slice(1);
    for (const cookies of [
      [],
      [attemptOf(other)],
      [attemptOf(started), attemptOf(started)],
      ['__Host-provider=e30'],
      ['__Host-provider=x'],
    ])
      expect((await end(query, cookies)).headers?.location).toBe('/console/sign-in?failed=stale');
    expect((await end(query, [attemptOf(started)])).statusCode).toBe(200);
    const again = await end(query, [attemptOf(started)]);
    expect(again.headers?.location).toBe('/console/sign-in?failed=refused');
  });

  test('is in the log, and so is an attempt that failed', async () => {
    const own = await member('a', 'read');
    const lines: [string, unknown][] = [];
    const deps = {
      ...signInPersonDependencies(),
      report: ({ code }: FailedSignIn, clientAddress: string) => lines.push([code, clientAddress]),
    };
    const attempt = await begin();
    const query = new URLSearchParams({ code: 'forged', state: stateOf(attempt), iss: issuer }).toString();
    await send(finish.with({ ...deps, provider }), { query, cookies: [attemptOf(attempt)] });
    const refusedFor = async (query: string) => {
      const started = await begin(query);
      const back = await server.signIn(String(started.headers?.location), account('nobody'));
      const cookies = [attemptOf(started)];
      await send(finish.with({ ...deps, provider }), { query: back.search.slice(1), cookies });
    };
    await refusedFor('');
    await refusedFor('link=x');
    expect(lines).toEqual(['refused', 'nobody', 'invitation'].map((code) => [code, '192.0.2.1']));
    lines.length = 0;
    observeLines((name) => {
      if (name.startsWith('sign')) lines.push([name, own.id]);
    });
    await signIn(account('a'));
    await send(signInWithToken, { form: { token: 'wrong' } });
    const asked = { name: 'mine', label: 'svc' };
    const { token } = await organizationStore(table).createToken(own.organization, asked, now);
    await send(signInWithToken, { form: { token } });
    observeLines(() => {});
    expect(lines.map(([name]) => name)).toEqual(['signed in', 'sign-in failed', 'signed in']);
  });

  test('never takes a session that somebody else chose', async () => {
    await member('a', 'read');
    const [one, two] = [sessionOf(await signIn(account('a'))), sessionOf(await signIn(account('a')))];
    expect(one).not.toBe(two);
    expect(await Promise.all([isSignedIn(one), isSignedIn(two)])).toEqual([true, true]);
  });

  test('ends the session that the browser had', async () => {
    const own = await member('a', 'read');
    const before = await sessionStore(table).start(own, 'Browser', now);
    const started = await begin('', provider, before);
    expect(attemptOf(started)).not.toContain(before.split('.')[2]);
    const answer = await server.signIn(String(started.headers?.location), account('a'));
    const signedIn = await end(answer.search.slice(1), [attemptOf(started)]);
    expect([await isSignedIn(before), await isSignedIn(sessionOf(signedIn))]).toEqual([false, true]);
  });

  test.each([
    ['/console/alerts', '/console/alerts'],
    ['/console"><script>', '/console'],
  ])('for %s leads to %s', async (to, shown) => {
    await member('a', 'read');
    const answer = await signIn(account('a'), new URLSearchParams({ to }).toString());
    expect(answer.body).toContain(`content="0;url=${shown}"`);
  });

  test('of somebody who is a member nowhere starts no session', async () => {
    const answer = await signIn(account('nobody'));
    expect([answer.headers?.location, answer.cookies]).toEqual(['/console/sign-in?failed=nobody', undefined]);
    const page = await send(signInPage, { query: 'failed=nobody' });
    expect(page.body).toContain('You are not a member of any organization.');
  });

  test('of somebody who was removed starts no session', async () => {
    const own = await member('a', 'read');
    await memberStore(table).remove(own, undefined, now);
    expect((await signIn(account('a'))).headers?.location).toBe('/console/sign-in?failed=nobody');
  });

  test('at a provider that is down says so, and leaves API tokens', async () => {
    const started = await begin('', down);
    expect(started.headers?.location).toBe('/console/sign-in?failed=unreachable');
    const answer = await end('code=c&state=s', [], down);
    expect(answer.headers?.location).toBe('/console/sign-in?failed=stale');
    const page = await send(signInPage, { query: 'failed=unreachable' });
    expect(page.body).toContain('The identity provider cannot be reached.');
    expect(page.body).toContain('name="token"');
  });

  test('ends here, and on request at the provider', async () => {
    const cookie = await sessionStore(table).start(await member('a', 'read'), 'Browser', now);
    const out = await send(signOut, { cookie, form: { formToken: formTokenOf(cookie) } });
    expect([out.headers?.location, await isSignedIn(cookie)]).toEqual(['/console/sign-in?left=true', false]);
    expect((await send(signInPage, { query: 'left=true' })).body).toContain(
      '/console/sign-in/provider-sign-out',
    );
    const left = await send(leaveProvider.with({ provider }));
    expect(left.headers?.location).toContain(`${issuer}/session/end?`);
    expect((await send(leaveProvider.with({ provider: down }))).headers?.location).toBe(
      '/console/sign-in?failed=unreachable',
    );
  });
});

describe('a member', () => {
  const session = async (scope: Scope, at = now) =>
    sessionStore(table).start(await member('a', scope), 'Browser', at);

  test('whose session is older than ten minutes signs in again, and finds the form filled in', async () => {
    const cookie = await session('admin', ago(1200));
    const form = { formToken: formTokenOf(cookie), name: 'new one', scope: 'read' };
    const answer = await send(createToken, { cookie, form });
    expect(answer.headers?.location).toBe('/console/sign-in?to=%2Fconsole%2Fsettings&failed=proof');
    const kept = String(answer.headers?.['set-cookie']).split(';')[0] ?? '';
    const page = await send(signInPage, { query: 'to=%2Fconsole%2Fsettings&failed=proof' });
    expect(page.body).toContain('fresh=true');
    const started = await begin('to=%2Fconsole%2Fsettings&fresh=true');
    expect(String(started.headers?.location)).toContain('max_age=0');
    const back = await server.signIn(String(started.headers?.location), account('a'));
    const signedIn = await end(back.search.slice(1), [attemptOf(started), kept]);
    const flash = /url=\/console\/settings\?(flash=[\w-]+)"/.exec(signedIn.body ?? '')?.[1];
    const settings = await send(showSettings, { cookie: sessionOf(signedIn), query: flash ?? '' });
    expect(settings.body).toContain('value="new one"');
    expect(settings.body).toContain('Nothing was done before you signed in again.');
    const again = {
      cookie: sessionOf(signedIn),
      form: { ...form, formToken: formTokenOf(sessionOf(signedIn)) },
    };
    expect((await follow(showSettings, await send(createToken, again), again)).body).toContain(
      'The token new one is created.',
    );
  });

  test('proves nothing with a sign-in of which the provider does not say when it was, nor with a fresh one without its question', async () => {
    await member('a', 'admin');
    const signedIn = await signIn(account('a'));
    const cookie = sessionOf(signedIn);
    const form = { formToken: formTokenOf(cookie), name: 'x', scope: 'read' };
    expect((await send(createToken, { cookie, form })).headers?.location).toContain('failed=proof');
    const started = await begin('fresh=true');
    const withoutQuestion = String(started.headers?.location).replace('max_age=0', '');
    const back = await server.signIn(withoutQuestion, account('a'));
    const answer = await end(back.search.slice(1), [attemptOf(started)]);
    expect(answer.headers?.location).toBe('/console/sign-in?failed=refused');
  });

  test('cannot prove with a token of somebody else who they are', async () => {
    const { token } = await organizationStore(table).createToken(
      organization,
      { name: 'ci', label: 'svc', scope: 'admin' },
      now,
    );
    const cookie = await session('admin', ago(1200));
    const form = { formToken: formTokenOf(cookie), name: 'x', scope: 'read', proof: token };
    expect((await send(createToken, { cookie, form })).headers?.location).toContain('failed=proof');
  });

  test('who is an admin sees members and invitations, invites, changes roles and removes', async () => {
    const cookie = await session('admin');
    const formToken = formTokenOf(cookie);
    const other = await member('b', 'read');
    await send(invite, { cookie, form: { formToken, mail: 'new@example.org', role: 'editor' } });
    const changed = await send(changeRole, { cookie, form: { formToken, id: other.id, role: 'admin' } });
    const page = await follow(showMembers, changed, { cookie });
    for (const shown of ['new@example.org', 'is admin now', `name="id" value="${other.id}"`])
      expect(page.body).toContain(shown);
    const question = await send(ask, { cookie, query: `about=member&id=${other.id}` });
    expect(question.body).toContain('revoke the tokens that the person created');
    await send(remove, { cookie, form: { formToken, id: other.id } });
    expect((await send(showMembers, { cookie })).body).not.toContain(other.id);
  });

  test('who removes themselves is signed out', async () => {
    const cookie = await session('admin');
    await member('b', 'admin');
    const own = (await findSession(table, cookie, now))?.token.id ?? '';
    const answer = await send(remove, { cookie, form: { formToken: formTokenOf(cookie), id: own } });
    expect([answer.headers?.location, answer.headers?.['set-cookie']]).toEqual([
      '/console/sign-in',
      expect.stringContaining('Max-Age=0'),
    ]);
  });

  test('of any role can leave, after a question', async () => {
    const cookie = await session('read');
    expect((await send(ask, { cookie, query: 'about=leave' })).body).toContain('Leave the organization?');
    expect((await send(ask, { cookie, query: 'about=member' })).statusCode).toBe(403);
    const answer = await send(leave, { cookie, form: { formToken: formTokenOf(cookie) } });
    expect([ledTo(answer), await isSignedIn(cookie)]).toEqual(['/console/sign-in?left=true', false]);
  });
});

describe('a person', () => {
  test('gets a mail about a sign-in with a new browser, unless it is turned off', async () => {
    const own = await member('a', 'read');
    const mails: Mail[] = [];
    const sendMail = async (mail: Mail) => {
      mails.push(mail);
    };
    const signInWith = async (browser: string | undefined, headers: Sent['headers'] = {}, query = '') => {
      const started = await begin(query);
      const answer = await server.signIn(String(started.headers?.location), account('a'));
      const handler = finish.with({ ...signInPersonDependencies(), provider, sendMail });
      const cookies = [attemptOf(started), ...(browser === undefined ? [] : [browser])];
      const signedIn = await send(handler, { query: answer.search.slice(1), cookies, headers });
      return signedIn.cookies?.[2]?.split(';')[0];
    };
    const browser = await signInWith(undefined, { 'user-agent': 'Browser <1>' });
    expect(mails).toMatchObject([{ to: own.name, subject: 'Sign-in with a new browser' }]);
    expect(mails[0]?.text).toContain('From: 192.0.2.1. Browser: Browser <1>.');
    expect(mails[0]?.html).toContain('Browser &lt;1&gt;');
    expect(await signInWith(browser)).toBe(browser);
    expect(mails).toHaveLength(1);
    await signInWith('__Host-browser=chosen');
    expect(mails).toHaveLength(2);
    // An invitation, which anybody with an organization can make, hides no new browser.
    const other = (await organizationStore(table).create('Other', now)).id;
    const given = { organization: other, mail: jo.email, scope: 'read' as const, by: null };
    const { text } = await invitationStore(table).create(given, now);
    await signInWith(undefined, {}, linkQuery(text));
    expect(mails).toHaveLength(3);
    const old = await sessionStore(table).start(own, 'Browser', ago(1200));
    const unproven = await send(changePreferences, { cookie: old, form: { formToken: formTokenOf(old) } });
    expect(unproven.headers?.location).toContain('failed=proof');
    const cookie = await sessionStore(table).start(own, 'Browser', now);
    const off = await send(changePreferences, { cookie, form: { formToken: formTokenOf(cookie) } });
    expect((await follow(showSettings, off, { cookie })).body).toContain('Sign-ins are not mailed to you.');
    await signInWith(undefined);
    expect(mails).toHaveLength(3);
    // The first one of all is no surprise.
    const first = linkQuery(await invitation());
    const attempt = await begin(first);
    const back = await server.signIn(String(attempt.headers?.location), account('first'));
    const handler = finish.with({ ...signInPersonDependencies(), provider, sendMail });
    await send(handler, { query: back.search.slice(1), cookies: [attemptOf(attempt)] });
    expect(mails).toHaveLength(3);
  });

  test('of several organizations switches, with a session that lasts no longer', async () => {
    const here = await member('a', 'admin');
    const { id } = await organizationStore(table).create('Other <org>', now);
    await join(table, id, here.member.person, 'read', now);
    const stranger = (await organizationStore(table).create('Third', now)).id;
    const started = ago(3600);
    const cookie = await sessionStore(table).start(here, 'Browser', started);
    const settings = await send(showSettings, { cookie });
    expect(settings.body).toContain('Switch to Other &lt;org&gt;');
    expect(settings.body).not.toContain('Third');
    const switchTo = (to: string) =>
      send(switchOrganization, { cookie, form: { formToken: formTokenOf(cookie), organization: to } });
    expect(ledTo(await switchTo(stranger))).toBe('/console/settings');
    const switched = await switchTo(id);
    const text = cookieIn(switched.headers) ?? '';
    const found = await findSession(table, text, new Date());
    expect([found?.token.organization, found?.token.scope, found?.session.authenticatedAt]).toEqual([
      ...[id, 'read', started.toISOString()],
    ]);
    expect(Date.parse(found?.session.until ?? '')).toBe(started.getTime() + 12 * 3600 * 1000);
    expect(await isSignedIn(cookie)).toBe(false);
    // The next sign-in leads there, too.
    const again = await findSession(table, sessionOf(await signIn(account('a'))), new Date());
    expect(again?.token.organization).toBe(id);
  });

  test('sees and ends the own sessions in all organizations, and a switch brings none back', async () => {
    const here = await member('a', 'read');
    const { id } = await organizationStore(table).create('Other', now);
    const there = await join(table, id, here.member.person, 'read', now);
    const stranger = await join(table, id, `b-${organization}`, 'read', now);
    const startFor = (one: typeof here, name: string) => sessionStore(table).start(one, name, now);
    const [cookie, other, others] = [
      await startFor(here, 'Here'),
      await startFor(there, 'Forgotten'),
      await startFor(stranger, 'Of a stranger'),
    ];
    const page = (await send(showSettings, { cookie })).body ?? '';
    expect([page.includes('Forgotten'), page.includes('Of a stranger')]).toEqual([true, false]);
    const form = { formToken: formTokenOf(cookie) };
    const idOf = async (text: string) => (await findSession(table, text, now))?.session.id ?? '';
    await send(endSessions, { cookie, form: { ...form, id: await idOf(others) } });
    await send(endSessions, { cookie, form: { ...form, id: await idOf(other) } });
    expect([await isSignedIn(other), await isSignedIn(others)]).toEqual([false, true]);
    const again = await startFor(there, 'Again');
    const found = await findSession(table, cookie, now);
    await send(endSessions, { cookie, form: { ...form, id: 'all' } });
    expect([await isSignedIn(again), await isSignedIn(cookie), await isSignedIn(others)]).toEqual([
      ...[false, false, true],
    ]);
    if (found === undefined) throw new Error('there was no session');
    const deps = {
      ...{ members: memberStore(table), people: personStore(table), sessions: sessionStore(table) },
      clock: systemClock,
    };
    const switched = await switchSession(callerWith(here), found.session, { organization: id }, deps);
    expect(switched).toMatchObject({ code: 'forbidden' });
    expect(await sessionStore(table).list(id, there.id, now)).toEqual([]);
  });
});

describe('without an identity provider', () => {
  test('everything is as it was: the page to sign in, and no way to one', async () => {
    const page = (deps: object) =>
      send(signInPage.with({ keepsSession: true, provider: undefined, ...deps }));
    const { body: whole = '' } = await page({});
    const body = whole.slice(whole.indexOf('<main'), whole.indexOf('</main>'));
    expect(body).not.toContain('provider');
    expect(body).not.toContain('<h2');
    expect(body.match(/<form/g)).toHaveLength(1);
    expect((await page({ provider: PROVIDER_HOST })).body).toContain(`Sign in with ${PROVIDER_HOST}`);
    for (const answer of [
      await send(start.with({ provider: undefined, clock: systemClock })),
      await send(finish.with({ ...signInPersonDependencies(), provider: undefined }), { query: 'code=c' }),
      await send(leaveProvider.with({ provider: undefined })),
    ])
      expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console/sign-in']);
  });
});
