/** Signing in at an identity provider: a real one, and what a lying one says. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';
import { systemClock } from '../../../shared/network/clock.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import { createIdentityProvider } from '../../../shared/network/identity-provider.ts';
import type { ProviderProblem } from '../../../shared/network/identity-provider-port.ts';
import type { WebCaller } from '../../../shared/network/ports.ts';
import { createWeb } from '../../../shared/network/web.ts';
import { createAuthority } from '../../kit/certificates.ts';
import { PROVIDER_CLIENT, PROVIDER_HOST, startIdentityProvider } from '../../kit/identity-provider.ts';
import { use } from '../../kit/use.ts';
import { zone } from '../../kit/zone.ts';

const RETURN_URL = 'https://monitor.test/console/sign-in/return';
const urls = { returnUrl: RETURN_URL, signedOutUrl: 'https://monitor.test/console/sign-in' };
const issuer = `https://${PROVIDER_HOST}`;
const jo = { subject: 'jo-1', email: 'Jo@Example.org', email_verified: true };

const authority = createAuthority();
const certificate = authority.issue([PROVIDER_HOST]);

afterEach(() => {
  Date.now = realNow;
});
const realNow = Date.now;

type Provider = ReturnType<typeof createIdentityProvider>;
type TestProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** Somebody signs in for this attempt. Returns the query with which the provider sends them back. */
async function signedIn(
  server: TestProvider,
  provider: Provider,
  as = jo,
  attempt = provider.newAttempt(false),
) {
  const answer = await server.signIn(await provider.signInUrl(attempt), as);
  const query = answer.search.slice(1);
  return { query, attempt, identity: () => provider.identityIn(query, attempt) };
}

async function start(options: Partial<Parameters<typeof startIdentityProvider>[1]> = {}) {
  const server = await use(startIdentityProvider(certificate, { returnUrl: RETURN_URL, ...options }));
  const dialMap = new Map([[`${PROVIDER_HOST}:443`, { address: '127.0.0.1', port: server.port }]]);
  const dialer = createDialer({ dns: zone({}), privateAddresses: 'allow', dialMap });
  const web = createWeb({ dialer, extraCa: authority.cert });
  return { server, web, provider: providerOver(web, options.isPublic ? '' : PROVIDER_CLIENT.clientSecret) };
}

const providerOver = (
  web: WebCaller,
  clientSecret: string = PROVIDER_CLIENT.clientSecret,
  at: string = issuer,
) =>
  createIdentityProvider(
    { issuer: at, clientId: PROVIDER_CLIENT.clientId, clientSecret, ...urls },
    web,
    systemClock,
  );

const problemOf = async (attempt: Promise<unknown>) => {
  const error = await attempt.then(
    () => undefined,
    (thrown: ProviderProblem) => thrown,
  );
  return error && [error.name, error.code];
};

describe('a real provider', () => {
  test.each([
    ['in the ID token', {}],
    ['where the access token leads', { mailIn: 'userinfo' }],
    ['for a client without a secret', { isPublic: true }],
  ] as const)('says who signed in, with the verified address %s', async (_what, options) => {
    const { server, provider } = await start(options);
    const attempt = provider.newAttempt(false);
    const url = new URL(await provider.signInUrl(attempt));
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    const answer = await server.signIn(url.href, jo);
    expect(await provider.identityIn(answer.search.slice(1), attempt)).toMatchObject({
      ...{ issuer, subject: 'jo-1', mail: 'jo@example.org' },
    });
  });

  test('whose address is not verified proves none', async () => {
    const { server, provider } = await start();
    const { identity } = await signedIn(server, provider, { ...jo, email_verified: false });
    expect(await identity()).toMatchObject({ subject: 'jo-1', mail: undefined });
  });

  test('says when the person proved who they are, if it is asked for a new proof', async () => {
    const { server, provider } = await start();
    const { identity } = await signedIn(server, provider, jo, provider.newAttempt(true));
    const { authenticatedAt } = await identity();
    expect(Math.abs((authenticatedAt?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test.each([
    ['another state', { state: 'other' }],
    ['another nonce', { nonce: 'other' }],
    ['another verifier', { verifier: 'x'.repeat(43) }],
  ])('is refused by an attempt with %s', async (_what, other) => {
    const { server, provider } = await start();
    const { query, attempt } = await signedIn(server, provider);
    const refused = provider.identityIn(query, { ...attempt, ...other });
    expect(await problemOf(refused)).toEqual(['ProviderProblem', 'refused']);
  });

  test('takes a code once', async () => {
    const { server, provider } = await start();
    const { identity } = await signedIn(server, provider);
    await identity();
    expect(await problemOf(identity())).toEqual(['ProviderProblem', 'refused']);
  });

  test('can decline', async () => {
    const { server, provider } = await start();
    const { identity } = await signedIn(server, provider, { ...jo, subject: '' });
    expect(await problemOf(identity())).toEqual(['ProviderProblem', 'declined']);
  });

  test('may use a new key a minute after its keys were read', async () => {
    const { server, provider } = await start();
    const signIn = async () => (await signedIn(server, provider)).identity();
    await signIn();
    server.rotateKeys();
    Date.now = () => realNow() + 61_000;
    expect((await signIn()).subject).toBe('jo-1');
  });

  test.each([
    [50, undefined],
    [80, ['ProviderProblem', 'refused']],
  ])('can have a clock that is %i s behind: %p', async (seconds, problem) => {
    const { server, web } = await start({ idTokenSeconds: 1 });
    // The token ends after a second; ours is the clock that is ahead when it is read.
    const ahead: WebCaller = {
      async call(request) {
        const answer = await web.call(request);
        if (request.url.endsWith('/token')) Date.now = () => realNow() + seconds * 1000;
        return answer;
      },
    };
    const provider = providerOver(ahead);
    const { identity } = await signedIn(server, provider);
    expect(await problemOf(identity())).toEqual(problem);
  });

  test('has a page that signs out there', async () => {
    const { provider } = await start();
    const url = new URL((await provider.signOutUrl()) ?? '');
    expect([url.origin, url.searchParams.get('client_id')]).toEqual([issuer, 'monitor']);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(urls.signedOutUrl);
  });

  test('that is down is unreachable, and reachable again later', async () => {
    const { server, web } = await start();
    let isDown = true;
    const provider = providerOver({
      call: (request) => web.call(isDown ? { ...request, url: 'https://nowhere.test/' } : request),
    });
    const attempt = provider.newAttempt(false);
    expect(await problemOf(provider.signInUrl(attempt))).toEqual(['ProviderProblem', 'unreachable']);
    isDown = false;
    const { identity } = await signedIn(server, provider, jo, attempt);
    isDown = true;
    expect(await problemOf(identity())).toEqual(['ProviderProblem', 'unreachable']);
  });
});

describe('a provider that lies', () => {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let jwks: object;
  beforeAll(async () => {
    jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256', use: 'sig' }] };
  });

  const attempt = { state: 's', nonce: 'n', verifier: 'v'.repeat(43), isFresh: false };
  const seconds = () => Math.floor(Date.now() / 1000);
  const truth = (): JWTPayload => ({
    ...{ iss: issuer, aud: PROVIDER_CLIENT.clientId, sub: 'jo-1', nonce: attempt.nonce },
    ...{ iat: seconds(), exp: seconds() + 300, email: 'jo@example.org', email_verified: true },
  });

  async function signed(claims: JWTPayload, key: KeyObject = own.privateKey): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(key);
  }

  /** What is said about who signed in, if the token endpoint answers with this ID token. */
  function identityWith(
    idToken: string,
    metadata: object = {},
    isFresh = false,
    at = issuer,
    { status = 200, query = 'code=c&state=s' } = {},
  ) {
    const bodies: Readonly<Record<string, object>> = {
      [`${new URL(at).pathname.replace(/\/$/, '')}/.well-known/openid-configuration`]: {
        ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
        ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'], ...metadata },
      },
      '/jwks': jwks,
      '/token': { access_token: 'a', token_type: 'Bearer', id_token: idToken },
    };
    const web: WebCaller = {
      call: async ({ url, method, maxBytes }) => ({
        ...{
          status: 'found',
          httpStatus: method === 'POST' ? status : 200,
          headers: { 'content-type': 'application/json' },
        },
        body: Buffer.from(JSON.stringify((maxBytes === 262_144 && bodies[new URL(url).pathname]) || {})),
        certificate: {
          validFrom: new Date(),
          validTo: new Date(),
          chain: [],
          trusted: true,
          matchesName: true,
        },
        evidence: { url, milliseconds: 0 },
      }),
    };
    return providerOver(web, undefined, at).identityIn(query, { ...attempt, isFresh });
  }

  test('is believed if everything is true', async () => {
    expect(await identityWith(await signed(truth()))).toMatchObject({
      subject: 'jo-1',
      mail: 'jo@example.org',
    });
  });

  test.each<[string, JWTPayload]>([
    ['for another service', { aud: 'other' }],
    ['for several services, and issued to another one', { aud: ['monitor', 'other'], azp: 'other' }],
    ['of another issuer', { iss: 'https://login.example' }],
    ['of another attempt', { nonce: 'other' }],
    ['that has ended', { exp: 1 }],
    ['that is not valid yet', { nbf: 99_999_999_999 }],
    ['about nobody', { sub: '' }],
  ])('with an ID token %s is refused', async (_what, lie) => {
    expect(await problemOf(identityWith(await signed({ ...truth(), ...lie })))).toEqual([
      'ProviderProblem',
      'refused',
    ]);
  });

  test.each([
    ['never', {}, 'refused'],
    ['an hour ago', { auth_time: seconds() - 3600 }, 'refused'],
    ['now', { auth_time: seconds() }, undefined],
  ])('that was asked for a new proof, and says that the last one was %s: %p', async (_when, claims, code) => {
    const answer = identityWith(await signed({ ...truth(), ...claims }), {}, true);
    expect((await problemOf(answer))?.[1]).toBe(code);
  });

  test.each([
    ...[204, 302, 400, 499].map((status) => [status, 'refused'] as const),
    ...[429, 500, 503].map((status) => [status, 'unreachable'] as const),
  ])('that answers with the status %i is %s', async (status, code) => {
    const answer = identityWith(await signed(truth()), {}, false, issuer, { status });
    expect((await problemOf(answer))?.[1]).toBe(code);
  });

  test.each([
    ['access_denied', 'declined'],
    ['server_error', 'unreachable'],
    ['temporarily_unavailable', 'unreachable'],
  ])('that sends the person back with %s: %s', async (error, code) => {
    const answer = identityWith('', {}, false, issuer, { query: `error=${error}&state=s` });
    expect((await problemOf(answer))?.[1]).toBe(code);
  });

  test('with a signature by another key, or none, is refused', async () => {
    const forged = await signed(truth(), foreign.privateKey);
    const [, claims] = forged.split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    for (const token of [forged, unsigned, 'x'])
      expect(await problemOf(identityWith(token))).toEqual(['ProviderProblem', 'refused']);
  });

  test('that calls itself something else is unreachable', async () => {
    const token = await signed(truth());
    expect(await problemOf(identityWith(token, { issuer: 'https://login.example' }))).toEqual([
      'ProviderProblem',
      'unreachable',
    ]);
  });

  test.each(['common', 'organizations'])(
    'that is every tenant of Microsoft Entra (%s) is refused',
    async (tenants) => {
      const at = `https://login.microsoftonline.com/${tenants}/v2.0`;
      const own = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
      const token = await signed({
        ...truth(),
        iss: 'https://login.microsoftonline.com/evil/v2.0',
        tid: 'evil',
      });
      expect(await problemOf(identityWith(token, own, false, at))).toEqual([
        'ProviderProblem',
        'unreachable',
      ]);
    },
  );

  test.each<[JWTPayload, string | undefined]>([
    [{ email_verified: 'true' }, undefined],
    [{ email_verified: undefined }, undefined],
    [{ email_verified: undefined, xms_edov: true }, 'jo@example.org'],
    [{ email_verified: undefined, xms_edov: '1' }, 'jo@example.org'],
    [{ email_verified: undefined, xms_edov: 1 }, 'jo@example.org'],
    [{ email_verified: undefined, xms_edov: 0 }, undefined],
    [{ email_verified: undefined, xms_edov: false }, undefined],
    [{ email: 5 }, undefined],
  ])('%j proves the address %p', async (claims, mail) => {
    expect((await identityWith(await signed({ ...truth(), ...claims }))).mail).toBe(mail);
  });
});

afterAll(() => {
  Date.now = realNow;
});
