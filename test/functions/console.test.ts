/** Sessions of the console: how they start and end, and which requests they admit. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import * as z from 'zod/mini';
import { handler as addDomain } from '../../functions/console/add-domain.ts';
import { handler as addDomains } from '../../functions/console/add-domains.ts';
import { handler as alerts } from '../../functions/console/alerts.ts';
import { handler as deliveriesPage } from '../../functions/console/deliveries.ts';
import { handler as domains } from '../../functions/console/domains.ts';
import { handler as markAlertsRead } from '../../functions/console/mark-alerts-read.ts';
import { handler as redeliver } from '../../functions/console/redeliver.ts';
import { handler as saveDomains } from '../../functions/console/save-domains.ts';
import { handler as showAddDomains } from '../../functions/console/show-add-domains.ts';
import { handler as signIn } from '../../functions/console/sign-in.ts';
import { handler as showSignIn } from '../../functions/console/sign-in-page.ts';
import { handler as signOut } from '../../functions/console/sign-out.ts';
import type { AdminDependencies } from '../../lib/admin/command.ts';
import type { AlertDraft } from '../../shared/alerts/alert.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { auditPartition } from '../../shared/store/keys.ts';
import { type NewToken, organizationStore } from '../../shared/store/organizations.ts';
import { findSession, formTokenOf, sessionStore } from '../../shared/store/sessions.ts';
import { adminCommand } from '../kit/admin.ts';
import { auditOn } from '../kit/audit.ts';
import { consoleTable, cookieIn, follow, ledTo, newSession, send } from '../kit/console.ts';
import { registerDomain, registeredDomain } from '../kit/reports.ts';
import { perfectResults } from '../kit/results.ts';
import { use } from '../kit/use.ts';

const auditItem = z.object({
  action: z.string(),
  name: z.nullable(z.string()),
  token: z.nullable(z.string()),
});
const now = new Date();
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const table = await use(consoleTable());
for (const id of ['org', 'other']) await organizationStore(table).create(id, now, id);

const issue = (given: Partial<NewToken> = {}) =>
  organizationStore(table).createToken('org', { name: 'me', label: 'svc', ...given }, now);

/** The secret of a new session. */
const session = (given: Partial<NewToken> = {}, owner = 'org') => newSession(table, owner, given, now);

/** What members of the organization did. */
const audited = async () =>
  (
    await table.query(
      {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': auditPartition('org') },
      },
      auditItem,
    )
  )
    .filter(({ token }) => token !== null)
    .map(({ action, name }) => [action, name]);

describe('signing in', () => {
  test('with a token sets a strict cookie and leads to the page that was asked for', async () => {
    const { token, info } = await issue();
    const answer = await send(signIn, { form: { token: ` ${token} `, to: '/console/domains/x?page=2' } });
    expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console/domains/x?page=2']);
    expect(answer.headers?.['set-cookie']).toMatch(
      /; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=43200$/,
    );
    const secret = cookieIn(answer.headers) ?? '';
    expect((await findSession(table, secret, now))?.token.id).toBe(info.id);
    expect((await send(domains, { cookie: secret })).statusCode).toBe(200);
    // It ends the session that the browser had.
    await send(signIn, { form: { token }, cookie: secret });
    expect(await findSession(table, secret, now)).toBeUndefined();
  });

  test.each([
    ['an unknown token', { token: 'svc_unknown' }],
    ['no token', {}],
    ['an unknown link', { link: 'unknown' }],
  ])('with %s shows the form again', async (_what, form: Record<string, string>) => {
    const answer = await send(signIn, { form });
    expect([answer.statusCode, answer.headers?.['set-cookie']]).toEqual([303, undefined]);
    const { body } = await follow(showSignIn, answer, {});
    expect(body).toContain('<title>Error: Sign in');
    expect(body).toContain('role="alert"');
  });

  test('with a token of another network says so', async () => {
    const { token } = await issue({ networks: ['198.51.100.0/24'] });
    const answer = await send(signIn, { form: { token } });
    expect([answer.statusCode, answer.headers?.['set-cookie']]).toEqual([303, undefined]);
    expect((await follow(showSignIn, answer, {})).body).toContain('cannot be used from your address');
  });

  test('with a link of an operator works once, by a button', async () => {
    const deps = {
      ...{ organizations: organizationStore(table), sessions: sessionStore(table) },
      notifications: notificationSettingsStore(table),
      ...{
        clock: { now: () => now },
        setting: (key: string) => ({ SERVICE_LABEL: 'svc' })[key],
        hostUrl: () => 'https://m.example',
      },
      ...auditOn(table),
    } as unknown as AdminDependencies;
    const [printed = ''] = await adminCommand(['console', 'org'])(deps);
    const { origin, pathname, search, searchParams } = new URL(printed);
    expect(origin + pathname).toBe('https://m.example/console/sign-in');
    const link = searchParams.get('link') ?? '';
    const shown = await send(showSignIn, { query: search.slice(1) });
    expect([shown.statusCode, shown.headers?.['set-cookie']]).toEqual([200, undefined]);
    expect(shown.body).toContain(`name="link" value="${link}"`);
    const answer = await send(signIn, { form: { link } });
    expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console']);
    expect((await send(domains, { cookie: cookieIn(answer.headers) ?? '' })).statusCode).toBe(200);
    expect((await send(signIn, { form: { link } })).headers?.location).toContain('failed=link');
  });

  test('with a link that is older than 15 minutes fails', async () => {
    const { info } = await issue();
    const link = await sessionStore(table).createLink(info, later(-15 * 60));
    expect((await send(signIn, { form: { link } })).headers?.location).toContain('failed=link');
  });

  test('leads nowhere else than into the console', async () => {
    const { token } = await issue();
    const to = '//evil.example/';
    expect((await send(showSignIn, { query: new URLSearchParams({ to }).toString() })).body).not.toContain(
      'evil',
    );
    const location = async (given: string) =>
      (await send(signIn, { form: { token: given, to } })).headers?.location;
    expect([await location(token), await location('x')]).toEqual([
      '/console',
      '/console/sign-in?failed=token',
    ]);
  });

  test('by a form of another site fails', async () => {
    const { token } = await issue();
    const answer = await send(signIn, { form: { token }, headers: { 'sec-fetch-site': 'cross-site' } });
    expect([answer.statusCode, answer.headers?.['set-cookie']]).toEqual([400, undefined]);
  });
});

describe('a request', () => {
  test('without a session leads to signing in, and back', async () => {
    const answer = await send(domains, { query: 'page=2' });
    expect([answer.statusCode, answer.headers?.location]).toEqual([
      303,
      '/console/sign-in?to=%2Fconsole%2Fdomains%3Fpage%3D2',
    ]);
    const form = await send(addDomain, { form: { domain: 'example.org' } });
    expect([form.statusCode, form.headers?.location]).toEqual([303, '/console/sign-in']);
  });

  test('is not cached, because it shows what only the session may see', async () => {
    const { headers } = await send(domains, { cookie: await session() });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });
});

describe('a form', () => {
  const fields = (cookie: string, domain: string) => ({
    ...{ formToken: formTokenOf(cookie), domain, usageType: 'parked', tags: 'a, b ,' },
  });
  test('adds a domain, and the audit log says so as for the API', async () => {
    const cookie = await session();
    const answer = await send(addDomain, { cookie, form: fields(cookie, ' https://www.Added.Example/x ') });
    expect(answer.statusCode).toBe(303);
    expect(ledTo(answer)).toMatch(/^\/console\/domains\/[\w-]{36}$/);
    expect(await audited()).toEqual([['createDomain', 'added.example']]);
    expect((await send(domains, { cookie })).body).toContain('added.example');
  });

  test.each([
    ['without the token of the session', { formToken: '' }, {}, 303],
    ['with the token of another session', { formToken: formTokenOf('other') }, {}, 303],
    ['of another site', {}, { 'sec-fetch-site': 'cross-site' }, 400],
    ['of another origin', {}, { origin: 'https://evil.example' }, 400],
  ])('%s changes nothing', async (_what, given, headers, status) => {
    const cookie = await session();
    const form = { ...fields(cookie, 'forged.example'), ...given };
    const answer = await send(addDomain, { cookie, form, headers });
    expect(answer.statusCode).toBe(status);
    if (status === 303)
      expect((await follow(showAddDomains, answer, { cookie })).body).toContain('from another session');
    expect((await send(domains, { cookie })).body).not.toContain('forged.example');
  });

  test('signs out, after which the cookie is worth nothing', async () => {
    const cookie = await session({ scope: 'read' });
    const answer = await send(signOut, { cookie, form: { formToken: formTokenOf(cookie) } });
    expect([answer.statusCode, answer.headers?.location]).toEqual([303, '/console/sign-in']);
    expect(answer.headers?.['set-cookie']).toContain('Max-Age=0');
    expect((await send(domains, { cookie })).statusCode).toBe(303);
  });
});

describe('the list of domains', () => {
  const list = async (query = '') => (await send(domains, { cookie: await session(), query })).body ?? '';
  const namesIn = (page: string) =>
    [...page.matchAll(/<th scope="row"><a href="[^"]+">([\w.-]+)<\/a>/g)].map(([, name]) => name);
  const checked = async (name: string, tags: string[], score: number | null) => {
    const domain = await registerDomain(table, 'org', name, now, { usageType: 'sends-only', tags });
    const scores = { 'sends-and-receives': null, 'receives-only': null, 'sends-only': score, parked: null };
    const kept = { checkedAt: now.toISOString(), results: perfectResults('sends-only'), score, scores };
    if (score !== null) await checkStore(table).keep(domain, kept);
  };

  beforeAll(async () => {
    await checked('worst.list.example', ['shop', '<i>tag</i>'], 20);
    await checked('best.list.example', [], 95);
    await checked('new.list.example', ['shop'], null);
  });

  test.each([
    ['q=.LIST.example&sort=domain', ['best.list.example', 'new.list.example', 'worst.list.example']],
    ['tag=shop&sort=-domain&usageType=&grade=', ['worst.list.example', 'new.list.example']],
    ['q=list.example&grade=F', ['worst.list.example']],
    ['q=list.example&usageType=parked', []],
    ['q=list.example&verified=true', []],
    ['q=list.example&page=2', []],
    ['q=.list.example', ['worst.list.example', 'best.list.example', 'new.list.example']],
  ])('with %s shows %j', async (query, names) => {
    expect(namesIn(await list(query))).toEqual(names);
  });

  test('keeps its filter in its links, escaped', async () => {
    const page = await list(`q=list.example&tag=${encodeURIComponent('"><b>')}`);
    expect(page).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(page).toContain('/console/domains.csv?q=list.example&amp;tag=%22%3E%3Cb%3E');
    expect(page).not.toContain('"><b>');
  });

  test('is the same as CSV', async () => {
    const { headers, body } = await send(saveDomains, { cookie: await session(), query: 'q=list.example' });
    expect(headers).toMatchObject({
      'content-type': expect.stringContaining('text/csv'),
      'content-disposition': 'attachment; filename="domains.csv"',
    });
    const [head, ...lines] = String(body).trim().split('\r\n');
    expect(head).toMatch(/^domain,usageType,tags,verified,grade,score,mx,/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^worst\.list\.example,sends-only,"shop, <i>tag<\/i>",false,F,20,/);
    const other = await organizationStore(table).create('Other', now, 'other-list');
    const foreign = await session({}, other.id);
    expect(String((await send(saveDomains, { cookie: foreign })).body).trim()).toBe(head);
    expect((await send(domains, { cookie: foreign })).body).toContain('No domains yet');
  });

  test('keeps what is left of a list of 40,000 domains for the next step, in the database too', async () => {
    const cookie = await session();
    const names = Array.from({ length: 40_000 }, () => `${randomBytes(12).toString('hex')}.longest.example`);
    const form = { formToken: formTokenOf(cookie), domains: names.join('\n'), usageType: 'parked' };
    // None can be added, so that it does not take long.
    const answer = await send(addDomains, { cookie, form: { ...form, testEmailLocalPart: 'x@' } });
    const { body: page = '' } = await follow(showAddDomains, answer, { cookie });
    expect(page).toContain('0 of 100 domains added');
    expect(page).toContain('39,900 domains left');
    expect(page).toContain(names.at(-1));
  });

  test('adds a long list in steps, and no empty one', async () => {
    const { id: steps } = await organizationStore(table).create('Steps', now);
    const cookie = await session({}, steps);
    const formToken = formTokenOf(cookie);
    const names = ['-', ...Array.from({ length: 100 }, (_, n) => `https://n${n + 1}.long.example/`)].join(
      '; ',
    );
    const first = await send(addDomains, {
      cookie,
      form: { formToken, domains: names, usageType: 'parked' },
    });
    const { body: page = '' } = await follow(showAddDomains, first, { cookie });
    expect(page).toContain('99 of 100 domains added');
    expect(page).toContain('1 domain left');
    expect(page).toContain('name="domains" value="https://n100.long.example/"');
    const [, failed = ''] = /name="failed" value="([^"]+)"/.exec(page) ?? [];
    const form = { formToken, domains: 'https://n100.long.example/', usageType: 'parked', failed };
    const second = await send(addDomains, { cookie, form });
    const { body: rest = '' } = await follow(showAddDomains, second, { cookie });
    expect(rest).toContain('1 of 1 domain added');
    // What was refused in the step before is still listed, and offered again.
    expect(rest).toMatch(/Not added:<\/strong> - /);
    expect(rest).not.toContain(' left</h2>');
    expect(rest).toContain('>-</textarea>');
    const empty = await send(addDomains, { cookie, form: { formToken, domains: ' ,' } });
    expect((await follow(showAddDomains, empty, { cookie })).body).toContain(
      'The list must have at least one domain.',
    );
  });
});

describe('alerts', () => {
  const store = () => alertStore(table, { retentionDays: 0 });
  const ofDomain = { id: '7c0e2f5a-1111-4222-8333-444455556666', organization: 'org', domain: 'a.example' };
  const changed: AlertDraft = {
    ...{ type: 'dns_change', severity: 'critical', title: 'The <b>record</b> changed', message: 'It did.' },
    metadata: {
      ...{ check: 'dmarc', previousState: 'pass', newState: 'fail', omitted: 0 },
      ...{ recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: ['v=DMARC1; p=reject'] },
      ...{ findingsAdded: [], findingsRemoved: [] },
    },
  };
  const threshold: AlertDraft = {
    ...{ type: 'score_threshold', severity: 'warning', title: 'Score below 70', message: 'It is 60.' },
    metadata: { threshold: 70, previousScore: 80, newScore: 60, direction: 'below' },
  };

  async function raise(draft: AlertDraft, at: Date): Promise<string> {
    await table.transact(await store().writesOf(ofDomain, [draft], at));
    const [newest] = await unread();
    return newest?.id ?? '';
  }

  const unread = async () =>
    (await store().list('org', { unreadOnly: true }, { page: 1, limit: 10 }, now)).alerts;

  test('are marked as read up to the newest shown', async () => {
    await raise(changed, later(-60));
    const newest = await raise(threshold, later(-50));
    const cookie = await session();
    expect((await send(alerts, { cookie })).body).toContain('The &lt;b&gt;record&lt;/b&gt; changed');
    await raise({ ...threshold, title: 'Raised meanwhile' }, later(-40));
    const form = { formToken: formTokenOf(cookie), newest };
    const marked = await send(markAlertsRead, { cookie, form });
    expect([marked.statusCode, marked.headers?.location]).toEqual([303, '/console/alerts']);
    expect((await unread()).map(({ title }) => title)).toEqual(['Raised meanwhile']);
  });

  test('have deliveries, and those that failed are sent again by a button', async () => {
    const deliveries = deliveryStore(table);
    const [failed, pending] = [later(-20), later(-10)].map((at) => ({
      ...{ id: uuidv7({ msecs: at.getTime() }), organization: 'org', channel: 'webhook' as const },
      createdAt: at.toISOString(),
    }));
    if (failed === undefined || pending === undefined) throw new Error('no deliveries');
    for (const one of [failed, pending]) await deliveries.createTest(one);
    const claim = await deliveries.claim(failed.id, { now, leaseSeconds: 60, sentAt: now });
    if (claim.status !== 'claimed') throw new Error(claim.status);
    await deliveries.giveUp(claim.lease, { reason: 'it answered 500' }, now);
    const cookie = await session();
    const shown = (await send(deliveriesPage, { cookie })).body ?? '';
    expect([...shown.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id)).toEqual([failed.id]);

    const form = { formToken: formTokenOf(cookie), id: failed.id };
    const sent = await send(redeliver, { cookie, form });
    expect([sent.statusCode, sent.headers?.location]).toEqual([303, '/console/deliveries']);
    const listed = await deliveries.list('org', { page: 1, limit: 10 }, now);
    expect(listed.deliveries.map(({ status }) => status)).toEqual(['pending', 'pending', 'given-up']);

    const elsewhere = await session({}, 'other');
    const foreign = { cookie: elsewhere, form: { ...form, formToken: formTokenOf(elsewhere) } };
    const unknown = await send(redeliver, foreign);
    expect((await follow(deliveriesPage, unknown, { cookie: elsewhere })).body).toContain('role="alert"');
  });

  test('have their deliveries on pages of 25, newest first', async () => {
    await organizationStore(table).create('Many', now, 'many');
    const cookie = await session({}, 'many');
    const pageOf = async (query = '') => (await send(deliveriesPage, { cookie, query })).body ?? '';
    const add = (minutes: number) => {
      const at = later(minutes);
      const id = uuidv7({ msecs: at.getTime() });
      const channel = 'mail' as const;
      return deliveryStore(table).createTest({
        ...{ id, organization: 'many', channel, createdAt: at.toISOString() },
      });
    };
    for (let n = 1; n <= 25; n += 1) await add(-n);
    expect(await pageOf()).not.toMatch(/rel="(next|prev)"/);
    await add(-26);
    const [first, second] = [await pageOf(), await pageOf('page=2')];
    expect([first, second].map((page) => page.split('<th scope="row">').length - 1)).toEqual([25, 1]);
    expect(first).toContain('rel="next" href="/console/deliveries?page=2"');
    expect(first).not.toContain('rel="prev"');
    expect(second).toContain('rel="prev" href="/console/deliveries"');
    expect(second).not.toContain('rel="next"');
  });

  test('of a domain of another organization are not found, nor are pages far away', async () => {
    const { id } = await registeredDomain(table, 'other.example');
    const cookie = await session();
    expect((await send(alerts, { cookie, query: `domain=${id}` })).statusCode).toBe(404);
    expect((await send(alerts, { cookie, query: 'page=501' })).statusCode).toBe(400);
  });
});
