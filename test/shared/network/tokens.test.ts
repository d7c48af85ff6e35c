/** Access tokens of an authorization server of the test, and a real Dovecot that verifies them. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt, jwtVerify } from 'jose';
import type { MailboxSettings } from '../../../shared/mailboxes/mailbox.ts';
import { type MailboxConnections, openMailbox } from '../../../shared/mailboxes/open.ts';
import { errorOf } from '../../../shared/mailboxes/problem.ts';
import { createDialer } from '../../../shared/network/dialer.ts';
import { createImap } from '../../../shared/network/imap.ts';
import type { Grant, TokenProblem } from '../../../shared/network/token-port.ts';
import { createTokens } from '../../../shared/network/tokens.ts';
import { createWeb } from '../../../shared/network/web.ts';
import { createAuthority, selfSigned } from '../../kit/certificates.ts';
import { type Dovecot, missingForDovecot, startDovecot } from '../../kit/dovecot.ts';
import { type Page, startHttpsHost } from '../../kit/https-host.ts';
import { noConnections } from '../../kit/mailbox-runs.ts';
import { use } from '../../kit/use.ts';
import { zone } from '../../kit/zone.ts';

const authority = createAuthority();
const certificate = authority.issue(['login.test', 'imap.test']);
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SECRET = 'p~ss w&rd=%+ä';
const grant = {
  kind: 'oauth2-client-credentials' as const,
  tokenUrl: 'https://login.test/tenant/oauth2/v2.0/token',
  ...{ clientId: 'client', clientSecret: SECRET, scope: 'https://mail.test/.default' },
};

const account = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ofAccount = {
  kind: 'google-service-account',
  tokenUrl: grant.tokenUrl,
  ...{
    clientId: 'reader@project.iam.gserviceaccount.com',
    scope: 'https://mail.google.com/',
    user: 'reports',
  },
  privateKey: String(account.privateKey.export({ type: 'pkcs8', format: 'pem' })),
} as const satisfies Grant;

/** The tokens of a server that answers its token endpoint like this. */
async function tokensOf(page: Page, shown: { cert: string; key: string } = certificate) {
  const host = await use(startHttpsHost(shown, { '/tenant/oauth2/v2.0/token': page }));
  const dialMap = new Map([['login.test:443', { address: host.address, port: host.port }]]);
  const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap });
  return { host, tokens: createTokens(createWeb({ dialer, extraCa: authority.cert })) };
}

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Page => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

async function problemOf(
  page: Page,
  shown?: { cert: string; key: string },
): Promise<[string, string, number]> {
  const { tokens } = await tokensOf(page, shown);
  try {
    await tokens.tokenFor(grant);
    return ['none', '', 0];
  } catch (error) {
    const { name, code, detail, retrySeconds } = error as TokenProblem;
    expect(name).toBe('TokenProblem');
    return [code, detail, retrySeconds];
  }
}

/** A JWT (RFC 7519) as access token. */
function tokenFor(user: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: user, iat: now, nbf: now, exp: now + 3600, iss: 'https://login.test', aud: 'mail' };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), keys.privateKey).toString('base64url')}`;
}

/** Gives a token for the user to the client with its secret (RFC 6749 section 4.4.2). */
const endpointFor = (user: string) => async (request: IncomingMessage, response: ServerResponse) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { grant_type, client_id, client_secret, scope } = Object.fromEntries(new URLSearchParams(body));
  const isRight =
    grant_type === 'client_credentials' &&
    client_id === 'client' &&
    client_secret === SECRET &&
    scope !== undefined;
  response.writeHead(isRight ? 200 : 400, { 'Content-Type': 'application/json' });
  response.end(
    JSON.stringify(
      isRight
        ? { access_token: tokenFor(user), token_type: 'Bearer', expires_in: 3599 }
        : { error: 'invalid_client', error_description: `no client ${client_id} with ${client_secret}` },
    ),
  );
};

/** Gives a token for the user that a service account signs for (RFC 7523 section 3). */
const endpointForAccount = async (request: IncomingMessage, response: ServerResponse) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const given = new URLSearchParams(body);
  const { payload } = await jwtVerify(given.get('assertion') ?? '', account.publicKey, {
    ...{ issuer: ofAccount.clientId, audience: ofAccount.tokenUrl, algorithms: ['RS256'] },
    maxTokenAge: '1h',
  }).catch(() => ({ payload: {} }));
  const { sub, scope } = payload as { readonly sub?: string; readonly scope?: string };
  const isRight =
    given.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    given.get('client_secret') === null &&
    scope === ofAccount.scope;
  response.writeHead(isRight ? 200 : 400, { 'Content-Type': 'application/json' });
  const token = () => ({ access_token: tokenFor(String(sub)), token_type: 'Bearer', expires_in: 3599 });
  const refused = { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' };
  response.end(JSON.stringify(isRight ? token() : refused));
};

describe('an access token of a service account', () => {
  const ask = async (page: Page, given: Grant = ofAccount) => {
    const { tokens } = await tokensOf(page);
    return tokens
      .tokenFor(given)
      .then(({ access }) => access)
      .catch(({ code, detail }: TokenProblem) => [code, detail]);
  };

  test('is given for the user that it signs for', async () => {
    expect(decodeJwt(String(await ask(endpointForAccount)))).toMatchObject({ sub: 'reports' });
  });

  test('is refused with another key, with what to look at', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const privateKey = String(other.export({ type: 'pkcs8', format: 'pem' }));
    const refused = await ask(endpointForAccount, { ...ofAccount, privateKey });
    expect(refused).toEqual(['token-key', 'invalid_grant: Invalid JWT Signature.']);
  });

  test.each([
    [
      'unauthorized_client',
      'Client is unauthorized to retrieve access tokens using this method.',
      'token-client',
    ],
    ['invalid_scope', 'not a valid audience string.', 'token-scope'],
    ['invalid_grant', 'Invalid email or User ID', 'token-key'],
  ])('is refused with %s, %s', async (error, description, code) => {
    const refused = await ask(json(400, { error, error_description: description }));
    expect(refused).toEqual([code, `${error}: ${description}`]);
  });
});

describe('an access token', () => {
  test('is given to the client with its secret, which only the token endpoint gets', async () => {
    const { tokens, host } = await tokensOf(endpointFor('reports'));
    expect((await tokens.tokenFor(grant)).access).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(host.requests).toEqual(['POST /tenant/oauth2/v2.0/token']);
    expect(host.headers()).not.toHaveProperty('authorization');
  });

  test.each([
    ['invalid_client', 'AADSTS7000215: Invalid client secret provided.', 'token-client-secret'],
    ['invalid_client', 'AADSTS7000222: The provided client secret keys are expired.', 'token-client-secret'],
    ['unauthorized_client', 'AADSTS700016: Application with identifier was not found.', 'token-client'],
    ['invalid_request', "AADSTS90002: Tenant 'x' not found.", 'token-tenant'],
    ['invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.', 'token-scope'],
    ['invalid_resource', 'AADSTS500011: The resource principal was not found.', 'token-scope'],
    ['invalid_client', undefined, 'token-client-secret'],
    ['unauthorized_client', undefined, 'token-client'],
    ['invalid_scope', undefined, 'token-scope'],
    ['access_denied', 'AADSTS53003: Blocked by conditional access.', 'token-refused'],
  ])('is refused with %s, %s', async (error, description, code) => {
    const body = { error, ...(description !== undefined && { error_description: description }) };
    const detail = description === undefined ? error : `${error}: ${description}`;
    expect(await problemOf(json(400, body))).toEqual([code, detail, 0]);
  });

  test('is refused without showing the secret', async () => {
    const description = `${SECRET} is wrong`;
    expect(await problemOf(json(401, { error: 'invalid_client', error_description: description }))).toEqual([
      ...['token-client-secret', 'invalid_client: *** is wrong', 0],
    ]);
  });

  test.each([
    ['429 with a time', json(429, {}, { 'Retry-After': '120' }), 'token-busy', 120],
    ['429 with a date', json(429, {}, { 'Retry-After': 'Fri, 27 Nov 2026 12:00:00 GMT' }), 'token-busy', 0],
    ['503 with a long time', json(503, {}, { 'Retry-After': '999999999' }), 'token-busy', 86_400],
    ['500', json(500, { error: 'server_error' }), 'token-refused', 0],
  ] as const)('is not given with the status %s', async (_name, page, code, seconds) => {
    const [found, , retrySeconds] = await problemOf(page);
    expect([found, retrySeconds]).toEqual([code, seconds]);
  });

  test.each([
    ['no token', json(200, { token_type: 'Bearer' })],
    ['a page', { headers: { 'Content-Type': 'text/html' }, body: '<p>Sign in</p>' }],
    ['a redirect', { status: 302, headers: { Location: 'https://elsewhere.test/' } }],
    ['nothing', { status: 204 }],
    ['broken JSON', { headers: { 'Content-Type': 'application/json' }, body: '{"access_token"' }],
  ] as const)('is not found in an answer with %s', async (_name, page) => {
    expect((await problemOf(page))[0]).toBe('token-refused');
  });

  test('is not asked of a server that is not trusted, not public or not there', async () => {
    expect((await problemOf({}, selfSigned(['login.test'])))[0]).toBe('token-unreachable');
    const { tokens } = await tokensOf({});
    for (const tokenUrl of ['https://127.0.0.1/token', 'https://nowhere.test/token'])
      await expect(tokens.tokenFor({ ...grant, tokenUrl })).rejects.toMatchObject({
        code: 'token-unreachable',
      });
  });

  test('is not read from an answer without an end', async () => {
    const endless = {
      headers: { 'Content-Type': 'application/json' },
      body: `{"a":"${'x'.repeat(100_000)}"}`,
    };
    expect((await problemOf(endless))[0]).toBe('token-unreachable');
  });
});

const lacking = missingForDovecot();

(lacking === undefined ? describe : describe.skip)(
  `a mailbox on Dovecot with access tokens${lacking === undefined ? '' : ` (skipped: ${lacking})`}`,
  () => {
    let dovecot: Dovecot;
    let imap: MailboxConnections['imap'];

    const settings: MailboxSettings = {
      ...{ name: 'Reports', source: 'imap', host: 'imap.test', port: 993, security: 'tls', user: 'reports' },
      ...{ folder: 'INBOX', after: 'keep', moveTo: null, everySeconds: 900 },
      signIn: grant,
    };

    beforeAll(async () => {
      const tokenKey = String(keys.publicKey.export({ type: 'spki', format: 'pem' })).trim();
      dovecot = await use(startDovecot({ users: { other: 'password' }, tokenKey, certificate }));
      const dialMap = new Map([['imap.test:993', { address: '127.0.0.1', port: dovecot.tlsPort }]]);
      const dialer = createDialer({ dns: zone({}), privateAddresses: 'deny', dialMap });
      imap = createImap({ dialer, extraCa: authority.cert, maxMailBytes: 100_000 });
    });

    const keep = () => Promise.reject(new Error('nothing takes the place of the secret'));

    const open = async (tokenOf: string) => {
      const { tokens } = await tokensOf(endpointFor(tokenOf));
      return openMailbox(settings, { secret: SECRET }, keep, AbortSignal.timeout(20_000), {
        ...noConnections,
        ...{ imap, tokens },
      });
    };

    test('is opened with a token for its user', async () => {
      const folder = await open('reports');
      expect(folder.messages).toBe(0);
      await folder.close();
    });

    test('is opened by a service account for its user', async () => {
      const { tokens } = await tokensOf(endpointForAccount);
      const { user: _, scope: __, privateKey, ...signIn } = ofAccount;
      const byAccount = { ...settings, signIn };
      const secret = { secret: privateKey };
      const connections = { ...noConnections, imap, tokens };
      const folder = await openMailbox(byAccount, secret, keep, AbortSignal.timeout(20_000), connections);
      expect(folder.messages).toBe(0);
      await folder.close();
    });

    test('is not opened with a token for another user', async () => {
      const refused = await open('other').catch(errorOf);
      expect(refused).toMatchObject({ code: 'token-not-accepted' });
    });
  },
);
