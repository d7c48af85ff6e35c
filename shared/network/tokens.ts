/** Access tokens of authorization servers, through the address guard. */
import {
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clientCredentialsGrant,
  customFetch,
  ResponseBodyError,
} from 'openid-client';
import type { WebPoster } from './ports.ts';
import { type ClientGrant, TokenProblem, type TokenProblemCode, type Tokens } from './token-port.ts';

const TIMEOUT_MILLISECONDS = 10_000;
/** Tokens have 2 KB; errors of Microsoft have as much. */
const MAX_BYTES = 64 * 1024;
/** Longer waits are not kept to: the cause can have ended. */
const MAX_RETRY_SECONDS = 86_400;

export function createTokens(poster: WebPoster): Tokens {
  return {
    async clientToken({ tokenUrl, clientId, clientSecret, scope }) {
      const { origin } = new URL(tokenUrl);
      const server = { issuer: origin, token_endpoint: tokenUrl };
      const client = new Configuration(server, clientId, undefined, ClientSecretPost(clientSecret));
      client[customFetch] = fetchOver(poster);
      try {
        return (await clientCredentialsGrant(client, { scope })).access_token;
      } catch (error) {
        throw explained(error, clientSecret);
      }
    },
  };
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

/** Says what an error is, without the secret, which a server can repeat. */
function explained(error: unknown, secret: ClientGrant['clientSecret']): TokenProblem {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth += 1)
    if (one instanceof TokenProblem) return one;
  const quoted = (text: string) => text.replaceAll(secret, '***');
  if (!(error instanceof ResponseBodyError))
    return new TokenProblem('token-refused', quoted(error instanceof Error ? error.message : 'no token'));
  const { error: code, error_description: description = '' } = error;
  const [, microsoft = ''] = /AADSTS(\d{1,9})/.exec(description) ?? [];
  const known = microsoftCodes[microsoft] ?? standardCodes[code] ?? 'token-refused';
  return new TokenProblem(known, quoted(description === '' ? code : `${code}: ${description}`));
}
