/** Every role on every endpoint, page and form: allowed, or refused before anything else. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../functions/routes.ts';
import { type Role, roles, scopeOf } from '../../shared/protocol/scope.ts';
import type { EndpointHandler } from '../../shared/runtime/http/endpoint.ts';
import type { Route } from '../../shared/runtime/http/route.ts';
import { readFlash } from '../../shared/store/flashes.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { findSession, formTokenOf, sessionStore } from '../../shared/store/sessions.ts';
import { consoleTable, type Sent, send } from '../kit/console.ts';
import { leastRoles } from '../kit/least-roles.ts';
import { join } from '../kit/members.ts';
import { registerDomain } from '../kit/reports.ts';
import { use } from '../kit/use.ts';

const now = new Date();
const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8057';
const callers = ['nobody', 'a stranger', ...roles] as const;
type Asking = (typeof callers)[number];
const all: readonly Route[] = Object.values(routes);

/** What each caller sends, with a token and in the console. */
const credentials = new Map<Asking, { readonly token: string; readonly cookie: string }>();
const handlers = new Map<string, EndpointHandler<unknown>>();

const table = await use(consoleTable());
process.env.API_RATE_PER_MINUTE = '0';
process.env.TOOL_RATE_PER_MINUTE = '0';
const organizations = organizationStore(table);
const [own, other] = [
  (await organizations.create('Own', now)).id,
  (await organizations.create('Other', now)).id,
];
for (const [caller, organization, role] of [
  ...roles.map((one) => [one, own, one] as const),
  ['a stranger', other, 'admin'] as const,
]) {
  const given = { name: caller, label: 'svc', scope: scopeOf(role) };
  const { token } = await organizations.createToken(organization, given, now);
  const member = await join(table, organization, `person-${role}-${organization}`, scopeOf(role), now);
  credentials.set(caller, { token, cookie: await sessionStore(table).start(member, 'Browser', now) });
}
for (const { name, handler } of all)
  handlers.set(name, (await import(`../../functions/${handler}.ts`)).handler);

/** What a form needs before it is looked at who sent it. */
const inputs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  operateOrganizations: { do: 'pause', id: UNKNOWN },
};

/** A request of a caller without any input, about something that does not exist. */
function requestOf({ name, access, method, path }: Route, caller: Asking): Sent {
  const given = credentials.get(caller);
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, UNKNOWN] as const);
  const { id, ...params } = Object.fromEntries(named);
  const about = id === undefined ? {} : { id, params };
  if (access === 'session')
    return {
      ...about,
      ...(given && { cookie: given.cookie }),
      ...(method === 'POST' && given && { form: { formToken: formTokenOf(given.cookie), ...inputs[name] } }),
    };
  if (access === 'public') return about;
  const headers: Sent['headers'] = given && { authorization: `Bearer ${given.token}` };
  return { ...about, ...(headers && { headers }), ...(method === 'GET' ? {} : { json: {} }) };
}

/** Whether a caller is refused because of who they are, whatever they ask for. */
async function isRefused(route: Route, caller: Asking): Promise<boolean> {
  const handler = handlers.get(route.name);
  if (handler === undefined) throw new Error(`${route.name} has no handler`);
  const request = requestOf(route, caller);
  const { statusCode, headers, body = '' } = await send(handler, request);
  if (statusCode === 401) return true;
  if (statusCode === 403)
    return /needs (?:an API token with the scope|the role)|is missing or invalid|Only operators/.test(body);
  const location = String(headers?.location ?? '');
  if (statusCode === 303 && route.access === 'session' && credentials.get(caller) === undefined)
    return location.startsWith('/console/sign-in');
  return statusCode === 303 && (await isRefusedOn(location, request));
}

/** What a form of the console says on the page that its redirect leads to. */
async function isRefusedOn(location: string, { cookie }: Sent): Promise<boolean> {
  const id = /[?&]flash=([\w-]{22})/.exec(location)?.[1];
  if (id === undefined || typeof cookie !== 'string') return false;
  const found = await findSession(table, cookie, now);
  if (found === undefined) return false;
  const place = { organization: found.token.organization, session: found.session, text: cookie };
  const flash = await readFlash(table, place, id, new Date());
  return flash?.kind === 'refused' && /needs the role|Only operators/.test(flash.says);
}

const mayDo = (caller: Role, least: Role | 'anybody' | 'operator'): boolean =>
  least === 'anybody' || (least !== 'operator' && roles.indexOf(caller) >= roles.indexOf(least));

/** Forms that end the session of who sends them; they come last, so that the others have one. */
const ENDING: readonly string[] = ['signOut', 'endSessions', 'leaveInConsole', 'switchOrganization'];
const inOrder = all.toSorted((a, b) => Number(ENDING.includes(a.name)) - Number(ENDING.includes(b.name)));

describe('every cell of the table', () => {
  test.each(
    inOrder.map((route) => [route.name, leastRoles[route.name as keyof typeof leastRoles], route] as const),
  )('%s: %s', async (_name, least, route) => {
    const found = await Promise.all(
      callers.map(async (caller) => [caller, (await isRefused(route, caller)) ? 'refused' : 'allowed']),
    );
    expect(Object.fromEntries(found)).toEqual({
      nobody: least === 'anybody' ? 'allowed' : 'refused',
      // An admin, but of another organization: what they find there is for the tests below.
      'a stranger': least === 'operator' ? 'refused' : 'allowed',
      ...Object.fromEntries(roles.map((role) => [role, mayDo(role, least) ? 'allowed' : 'refused'])),
    });
  });
});

describe('an admin of another organization', () => {
  const MARK = 'only-theirs.example';
  let theirs: { readonly domain: string; readonly member: string; readonly token: string };
  let stranger: { readonly token: string; readonly cookie: string };
  beforeAll(async () => {
    const organizations = organizationStore(table);
    const { id } = await organizations.create(MARK, now);
    const registered = await registerDomain(table, id, MARK, now);
    const member = await join(table, id, MARK, 'admin', now);
    const { info } = await organizations.createToken(id, { name: MARK, label: 'svc' }, now);
    theirs = { domain: registered.id, member: member.id, token: info.id };
    const other = await organizations.create('Stranger', now);
    const own = await organizations.createToken(other.id, { name: 'own', label: 'svc' }, now);
    const person = await join(table, other.id, 'stranger', 'admin', now);
    stranger = { token: own.token, cookie: await sessionStore(table).start(person, 'Browser', now) };
  });

  const owned = all.filter(({ access, path }) => access !== 'public' && path.includes('{id}'));
  test.each(owned.map((route) => [route.name, route] as const))(
    'sees nothing through %s',
    async (_name, route) => {
      const handler = handlers.get(route.name);
      if (handler === undefined) throw new Error(`${route.name} has no handler`);
      for (const id of Object.values(theirs)) {
        const isSession = route.access === 'session';
        const answer = await send(handler, {
          ...{ id, params: { senderId: 'x', reportId: UNKNOWN, mailId: 'x', view: 'dmarc' } },
          ...(isSession
            ? { cookie: stranger.cookie, form: { formToken: formTokenOf(stranger.cookie) } }
            : { headers: { authorization: `Bearer ${stranger.token}` } }),
          ...(!isSession && route.method !== 'GET' && { json: {} }),
        });
        expect([400, 404, 412, 303]).toContain(answer.statusCode);
        expect(answer.body).not.toContain(MARK);
      }
    },
  );
});
