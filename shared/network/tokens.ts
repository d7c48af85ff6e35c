/** Access tokens of authorization servers, through the address guard. */
import { importPKCS8, SignJWT } from 'jose';
import {
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clientCredentialsGrant,
  customFetch,
  genericGrantRequest,
  None,
  ResponseBodyError,
  refreshTokenGrant,
} from 'openid-client';
import type { WebPoster } from './ports.ts';
import { retrySecondsOf } from './retry-after.ts';
import {
  type Grant,
  MAX_REFRESH_TOKEN,
  TokenProblem,
  type TokenProblemCode,
  type Tokens,
} from './token-port.ts';
import { withoutSecrets } from './without-secrets.ts';

const TIMEOUT_MILLISECONDS = 10_000;
/** Tokens have 2 KB; errors of Microsoft have as much. */
const MAX_BYTES = 64 * 1024;

export function createTokens(poster: WebPoster): Tokens {
  return {
    async tokenFor(grant, signal) {
      const { tokenUrl, clientId } = grant;
      const { origin } = new URL(tokenUrl);
      const server = { issuer: origin, token_endpoint: tokenUrl };
      const secret = 'clientSecret' in grant ? grant.clientSecret : undefined;
      const proof = secret === undefined ? None() : ClientSecretPost(secret);
      const client = new Configuration(server, clientId, undefined, proof);
      client[customFetch] = fetchOver(poster, signal);
      try {
        const { access_token: access, refresh_token: refresh } = await answerTo(grant, client);
        if ((refresh?.length ?? 0) > MAX_REFRESH_TOKEN)
          throw new TokenProblem('token-refused', 'the new refresh token is too long to be stored');
        return { access, ...(refresh !== undefined && { refresh }) };
      } catch (error) {
        throw explained(error, grant);
      }
    },
  };
}

async function answerTo(grant: Grant, client: Configuration) {
  const { scope } = grant;
  switch (grant.kind) {
    case 'oauth2-client-credentials':
      return clientCredentialsGrant(client, { scope });
    case 'oauth2-refresh-token':
      return refreshTokenGrant(client, grant.refreshToken, scope === '' ? {} : { scope });
    case 'google-service-account':
      return genericGrantRequest(client, JWT_BEARER, { assertion: await assertionOf(grant) });
  }
}

/** RFC 7523 section 2.1. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** What Google accepts at most ("Using OAuth 2.0 for Server to Server Applications"). */
const ASSERTION_SECONDS = 3_600;

/** The service account says for which user it wants a token, and signs that. */
async function assertionOf({
  clientId,
  user,
  scope,
  tokenUrl,
  privateKey,
}: Extract<Grant, { kind: 'google-service-account' }>): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(user)
    .setAudience(tokenUrl)
    .setIssuedAt(now)
    .setExpirationTime(now + ASSERTION_SECONDS)
    .sign(await importPKCS8(privateKey, 'RS256'));
}

const fetchOver =
  (poster: WebPoster, signal: AbortSignal | undefined): CustomFetch =>
  async (url, { headers, body }) => {
    const answer = await poster.post({
      ...{ url, headers, body: String(body ?? ''), maxBytes: MAX_BYTES, signal },
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    });
    if (answer.status !== 'found')
      throw new TokenProblem('token-unreachable', `${new URL(url).host}: ${reasonOf(answer)}`);
    const { httpStatus: status, headers: received, body: content } = answer;
    if (status === 429 || status >= 500)
      throw new TokenProblem(
        status === 429 || status === 503 ? 'token-busy' : 'token-refused',
        `${new URL(url).host} answered with status ${status}${saidIn(content)}`,
        retrySecondsOf(received['retry-after']),
      );
    // Redirects are among the others, which nothing may follow with a secret.
    return new Response(content.length === 0 ? null : Buffer.from(content), { status, headers: received });
  };

/** What an error in the form of RFC 6749 section 5.2 says, with a colon before it; empty for anything else. */
function saidIn(body: Uint8Array): string {
  try {
    const { error, error_description: description } = JSON.parse(Buffer.from(body).toString('utf8'));
    return [error, description].flatMap((text) => (typeof text === 'string' ? `: ${text}` : [])).join('');
  } catch {
    return '';
  }
}

const reasonOf = (answer: { readonly reason: string; readonly detail?: string }): string =>
  answer.detail === undefined || answer.detail === '' ? answer.reason : `${answer.reason}, ${answer.detail}`;

/** What Microsoft's codes are about ("Microsoft Entra authentication and authorization error codes"). */
const microsoftCodes: Readonly<Record<string, TokenProblemCode>> = {
  '7000215': 'token-client-secret',
  '7000222': 'token-client-secret',
  '700016': 'token-client',
  '7000112': 'token-client',
  '65001': 'token-client',
  '90002': 'token-tenant',
  '900023': 'token-tenant',
  '70011': 'token-scope',
  '1002012': 'token-scope',
  '500011': 'token-scope',
};

/** What the codes of RFC 6749 section 5.2 are about. */
const standardCodes: Readonly<Record<string, TokenProblemCode>> = {
  invalid_client: 'token-client-secret',
  unauthorized_client: 'token-client',
  invalid_scope: 'token-scope',
};

/** What they are about for one kind; the client of an account that signs is the service account. */
const codesOfKinds: Readonly<Record<Grant['kind'], Readonly<Record<string, TokenProblemCode>>>> = {
  'oauth2-client-credentials': standardCodes,
  'oauth2-refresh-token': { ...standardCodes, invalid_grant: 'token-refresh' },
  'google-service-account': { ...standardCodes, invalid_client: 'token-client', invalid_grant: 'token-key' },
};

const secretsOf = (grant: Grant): readonly string[] => {
  switch (grant.kind) {
    case 'oauth2-client-credentials':
      return [grant.clientSecret];
    case 'oauth2-refresh-token':
      return [grant.refreshToken, ...(grant.clientSecret === undefined ? [] : [grant.clientSecret])];
    case 'google-service-account':
      return [grant.privateKey];
  }
};

/** Says what an error is, without the secrets, which a server can repeat. */
function explained(error: unknown, grant: Grant): TokenProblem {
  const quoted = (text: string) => withoutSecrets(text, secretsOf(grant));
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1)
    if (one instanceof TokenProblem) return new TokenProblem(one.code, quoted(one.detail), one.retrySeconds);
  if (!(error instanceof ResponseBodyError))
    return new TokenProblem('token-refused', quoted(error instanceof Error ? error.message : 'no token'));
  const { error: code, error_description: description = '' } = error;
  const [, microsoft = ''] = /AADSTS(\d{1,9})/.exec(description) ?? [];
  const known = microsoftCodes[microsoft] ?? codesOfKinds[grant.kind][code] ?? 'token-refused';
  return new TokenProblem(known, quoted(description === '' ? code : `${code}: ${description}`));
}
