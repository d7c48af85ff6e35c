/** People of a running service: invited over the API, signed in at a real identity provider, and removed again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createAuthority } from '../kit/certificates.ts';
import { freePort } from '../kit/free-port.ts';
import { PROVIDER_CLIENT, PROVIDER_HOST, startIdentityProvider } from '../kit/identity-provider.ts';
import { servedFrom } from '../kit/service.ts';
import { use, useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const jo = { subject: 'jo', email: 'jo@example.org', email_verified: true };

const folder = useFolder('people');
const authority = createAuthority();
writeFileSync(join(folder, 'ca.pem'), authority.cert);
writeFileSync(join(folder, 'secret'), PROVIDER_CLIENT.clientSecret);
// Templates name the secret, which files cannot replace.
const isDeployed = Object.keys(servedFrom()).length > 0;
const port = await freePort();
const url = `http://localhost:${port}`;
const returnUrl = `${url}/console/sign-in/return`;
const provider = await use(startIdentityProvider(authority.issue([PROVIDER_HOST]), { returnUrl }));
const { service, api } = await useApi({
  ...{ PORT: String(port), HOST_URL: url, EXTRA_CA_FILE: join(folder, 'ca.pem') },
  ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: PROVIDER_CLIENT.clientId },
  ...(isDeployed
    ? { OIDC_CLIENT_SECRET: PROVIDER_CLIENT.clientSecret }
    : { OIDC_CLIENT_SECRET_FILE: join(folder, 'secret') }),
  DIAL_MAP: `${PROVIDER_HOST}:443=127.0.0.1:${provider.port}`,
});

const cookiesOf = (response: Response) =>
  response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
const get = (path: string, cookies: readonly string[] = [], headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${service.url}${path}`, {
    redirect: 'manual',
    headers: { ...headers, cookie: cookies.join('; ') },
  });
/** Signs in as a browser does, and returns its session. */
async function signIn(query: string): Promise<{ readonly status: number; readonly session: string }> {
  const started = await get(`/console/sign-in/provider${query}`, [], { 'sec-fetch-site': 'same-origin' });
  const back = await provider.signIn(started.headers.get('location') ?? '', jo);
  const answer = await get(`${back.pathname}${back.search}`, cookiesOf(started));
  return { status: answer.status, session: cookiesOf(answer)[0] ?? '' };
}

describe('a person', () => {
  let link: string;

  test('is invited over the API, with a mail in the outbox', async () => {
    const answer = await api.call('POST', '/api/v1/invitations', {
      json: { mail: 'jo@example.org', role: 'editor' },
    });
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      { mail: 'jo@example.org', role: 'editor', isMailed: true },
    ]);
    link = answer.body.data.link;
    const { id } = answer.body.data;
    expect(answer.headers.get('location')).toBe(`/api/v1/invitations/${id}`);
    expect((await api.call('GET', `/api/v1/invitations/${id}`)).body.data.mail).toBe('jo@example.org');
    const list = await api.call('GET', '/api/v1/invitations');
    expect(list.body.data).toHaveLength(1);
    expect(JSON.stringify(list.body)).not.toContain(new URL(link).searchParams.get('link'));
  });

  test('accepts with a sign-in at the provider, and works in the console with the role', async () => {
    const { pathname, search } = new URL(link);
    expect(await (await get(`${pathname}${search}`)).text()).toContain('Sign in with login.test');
    const { status, session } = await signIn(search);
    expect(status).toBe(200);
    expect((await get('/console', [session])).status).toBe(200);
    expect((await get('/console/members', [session])).status).toBe(403);
    const again = await signIn('');
    expect((await get('/console/settings', [again.session])).status).toBe(200);
  });

  test('is a member in the API, whose role changes if nobody else changed it', async () => {
    const { body } = await api.call('GET', '/api/v1/members');
    expect(body.data).toMatchObject([{ mail: 'jo@example.org', role: 'editor' }]);
    const path = `/api/v1/members/${body.data[0].id}`;
    const { headers } = await api.call('GET', path);
    const etag = headers.get('etag') ?? '';
    const change = (role: string) =>
      api.call('PATCH', path, { json: { role }, headers: { 'if-match': etag } });
    expect((await change('admin')).body.data.role).toBe('admin');
    expect((await change('viewer')).status).toBe(412);
  });
});
