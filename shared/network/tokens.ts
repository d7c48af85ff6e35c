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
} from 'openid-client';
import type { WebPoster } from './ports.ts';
import { type Grant, TokenProblem, type TokenProblemCode, type Tokens } from './token-port.ts';

const TIMEOUT_MILLISECONDS = 10_000;
/** Tokens have 2 KB; errors of Microsoft have as much. */
const MAX_BYTES = 64 * 1024;
/** Longer waits are not kept to: the cause can have ended. */
const MAX_RETRY_SECONDS = 86_400;

export function createTokens(poster: WebPoster): Tokens {
  return {
    async tokenFor(grant) {
      const { kind, tokenUrl, clientId, scope } = grant;
      const { origin } = new URL(tokenUrl);
      const server = { issuer: origin, token_endpoint: tokenUrl };
      const hasSecret = kind === 'oauth2-client-credentials';
      const proof = hasSecret ? ClientSecretPost(grant.clientSecret) : None();
      const client = new Configuration(server, clientId, undefined, proof);
      client[customFetch] = fetchOver(poster);
      try {
        const answer = hasSecret
          ? await clientCredentialsGrant(client, { scope })
          : await genericGrantRequest(client, JWT_BEARER, { assertion: await assertionOf(grant) });
        return answer.access_token;
      } catch (error) {
        throw explained(error, grant);
      }
    },
  };
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
  (poster: WebPoster): CustomFetch =>
  async (url, { headers, body }) => {
    const answer = await poster.post({
      ...{ url, headers, body: String(body ?? ''), maxBytes: MAX_BYTES },
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
    });
    if (answer.status !== 'found')
      throw new TokenProblem('token-unreachable', `${new URL(url).host}: ${reasonOf(answer)}`);
    const { httpStatus: status, headers: received, body: content } = answer;
    if (status === 429 || status >= 500)
      throw new TokenProblem(
        status === 429 || status === 503 ? 'throttled' : 'token-refused',
        `${new URL(url).host} answered with status ${status}`,
        secondsOf(received['retry-after']),
      );
    // Other statuses have no body, or are redirects, which nothing may follow with a secret.
    return new Response(status < 200 || status === 204 || status === 304 ? null : Buffer.from(content), {
      status: status < 200 ? 400 : status,
      headers: received,
    });
  };

const reasonOf = (answer: { readonly reason: string; readonly detail?: string }): string =>
  answer.detail === undefined || answer.detail === '' ? answer.reason : `${answer.reason}, ${answer.detail}`;

/** Whole seconds (RFC 9110 section 10.2.3). */
function secondsOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), MAX_RETRY_SECONDS) : 0;
}

/** What Microsoft's codes are about ("Microsoft Entra authentication and authorization error codes"). */
const microsoftCodes: Readonly<Record<string, TokenProblemCode>> = {
  '7000215': 'token-client-secret',
  '7000222': 'token-client-secret',
  '700016': 'token-client',
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

/** What they are about for an account that signs; its client is the service account. */
const codesForKeys: Readonly<Record<string, TokenProblemCode>> = {
  ...standardCodes,
  invalid_client: 'token-client',
  invalid_grant: 'token-key',
};

/** Says what an error is, without the secret, which a server can repeat. */
function explained(error: unknown, grant: Grant): TokenProblem {
  const hasSecret = grant.kind === 'oauth2-client-credentials';
  const secret = hasSecret ? grant.clientSecret : grant.privateKey;
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1)
    if (one instanceof TokenProblem) return one;
  const quoted = (text: string) => text.replaceAll(secret, '***');
  if (!(error instanceof ResponseBodyError))
    return new TokenProblem('token-refused', quoted(error instanceof Error ? error.message : 'no token'));
  const { error: code, error_description: description = '' } = error;
  const [, microsoft = ''] = /AADSTS(\d{1,9})/.exec(description) ?? [];
  const known =
    microsoftCodes[microsoft] ?? (hasSecret ? standardCodes : codesForKeys)[code] ?? 'token-refused';
  return new TokenProblem(known, quoted(description === '' ? code : `${code}: ${description}`));
}
