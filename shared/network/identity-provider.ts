/** The identity provider of the service, over OpenID Connect: authorization code flow with PKCE, state and nonce. */
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type UserInfoResponse,
} from 'openid-client';
import {
  FRESH_SECONDS,
  type IdentityProvider,
  type ProvenIdentity,
  ProviderProblem,
} from './identity-provider-port.ts';
import type { Clock, WebCaller } from './ports.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface ProviderSettings {
  /** An https URL. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  /** Where the provider sends the browser after signing in, and after signing out; as registered there. */
  readonly returnUrl: string;
  readonly signedOutUrl: string;
}

const TIMEOUT_MILLISECONDS = 5_000;
/** Descriptions and key sets of large providers have about 10 KB, and ID tokens as much. */
const MAX_BYTES = 256 * 1024;
/** How far the clock of the provider may be from ours. */
const CLOCK_SECONDS = 60;
/** How long the description of a provider is used before it is read again. Keys are read again after five minutes, or if one is new. */
const DISCOVERED_MILLISECONDS = 3_600_000;

export function createIdentityProvider(
  settings: ProviderSettings,
  web: WebCaller,
  clock: Clock,
): IdentityProvider {
  const { issuer, clientId, clientSecret, returnUrl, signedOutUrl } = settings;
  let known: { readonly client: Promise<Configuration>; readonly until: number } | undefined;

  async function client(): Promise<Configuration> {
    const now = clock.now().getTime();
    if (known === undefined || known.until <= now) {
      const found = discovery(
        new URL(issuer),
        clientId,
        { [clockTolerance]: CLOCK_SECONDS },
        authenticationWith(clientSecret),
        // The signature of the ID token is verified, too, although it comes directly from the provider.
        { [customFetch]: fetchOver(web), execute: [enableNonRepudiationChecks] },
      );
      known = { client: found, until: now + DISCOVERED_MILLISECONDS };
    }
    try {
      const configured = await known.client;
      const { issuer: own } = configured.serverMetadata();
      // The library accepts the issuers of Microsoft Entra for several tenants, each of which could then say who a person is.
      if (own !== issuer)
        throw new ProviderProblem('unreachable', `${issuer} calls itself ${own} in its description`);
      return configured;
    } catch (error) {
      known = undefined;
      throw unreachable(error, settings);
    }
  }

  return {
    newAttempt: (isFresh) => ({
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      isFresh,
    }),

    async signInUrl({ state, nonce, verifier, isFresh }) {
      const url = buildAuthorizationUrl(await client(), {
        ...{ redirect_uri: returnUrl, scope: 'openid email', state, nonce },
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isFresh && { max_age: '0' }),
      });
      return url.href;
    },

    async identityIn(query, { state, nonce, verifier, isFresh }) {
      const configured = await client();
      try {
        const tokens = await authorizationCodeGrant(configured, new URL(`${returnUrl}?${query}`), {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
          idTokenExpected: true,
          // The address of the provider passes the browser, so `max_age` can be missing there (OpenID Connect Core 1.0, section 3.1.3.7).
          ...(isFresh && { maxAge: FRESH_SECONDS }),
        });
        const claims = tokens.claims();
        if (claims === undefined || claims.sub === '')
          throw new ProviderProblem('refused', 'the ID token is about nobody');
        // Where there is an access token, a provider may tell the address only for it (OpenID Connect Core 1.0, section 5.4).
        const isElsewhere =
          claims.email === undefined && configured.serverMetadata().userinfo_endpoint !== undefined;
        const more = isElsewhere ? await fetchUserInfo(configured, tokens.access_token, claims.sub) : claims;
        return identityOf(claims, more);
      } catch (error) {
        throw explained(error, settings);
      }
    },

    async signOutUrl() {
      const configured = await client();
      if (configured.serverMetadata().end_session_endpoint === undefined) return undefined;
      // Amazon Cognito has another name for the second one.
      const back = { post_logout_redirect_uri: signedOutUrl, logout_uri: signedOutUrl };
      return buildEndSessionUrl(configured, { client_id: clientId, ...back }).href;
    },
  };
}

/** In the form that the provider supports (RFC 6749 section 2.3.1); Basic, if it does not say (RFC 8414 section 2). */
function authenticationWith(secret: string): ClientAuth {
  if (secret === '') return None();
  return (server, ...others) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    const method = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic;
    return method(secret)(server, ...others);
  };
}

function identityOf(claims: IDToken, more: IDToken | UserInfoResponse): ProvenIdentity {
  const { iss: issuer, sub: subject, auth_time: authTime } = claims;
  return {
    ...{ issuer, subject, mail: verifiedMailIn(more) },
    authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1000) : undefined,
  };
}

/**
 * OpenID Connect Core 1.0, section 5.1. Microsoft Entra has a claim of its own, `xms_edov`, for an address in a domain whose owner
 * was verified ("Migrate away from using email claims").
 */
function verifiedMailIn(claims: IDToken | UserInfoResponse): string | undefined {
  const { email, email_verified: isVerified, xms_edov: isOfOwner } = claims;
  const isTheirs = isVerified === true || isOfOwner === true || isOfOwner === 1 || isOfOwner === '1';
  return isTheirs && typeof email === 'string' ? email.toLowerCase() : undefined;
}

/** @throws ProviderProblem inside the library, which passes it on as a cause. */
const fetchOver =
  (web: WebCaller): CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await web.call({
      ...{ url, method: method === 'POST' ? 'POST' : 'GET', headers },
      ...(body !== undefined && body !== null && { body: String(body) }),
      ...{ maxBytes: MAX_BYTES, timeoutMilliseconds: TIMEOUT_MILLISECONDS },
    });
    const { host } = new URL(url);
    if (answer.status !== 'found')
      throw new ProviderProblem('unreachable', `${host}: ${answer.status}, ${answer.reason}`);
    const { httpStatus: status, headers: received, body: content } = answer;
    if (status === 429 || status >= 500)
      throw new ProviderProblem('unreachable', `${host} answered with status ${status}`);
    return new Response(content.length === 0 ? null : Buffer.from(content), { status, headers: received });
  };

const unreachable = (error: unknown, settings: ProviderSettings): ProviderProblem =>
  new ProviderProblem('unreachable', detailOf(error, settings));

function explained(error: unknown, settings: ProviderSettings): ProviderProblem {
  if (error instanceof AuthorizationResponseError)
    return new ProviderProblem(
      error.error === 'temporarily_unavailable' || error.error === 'server_error'
        ? 'unreachable'
        : 'declined',
      detailOf(error, settings),
    );
  const own = causes(error).find((one) => one instanceof ProviderProblem);
  return new ProviderProblem(own?.code ?? 'refused', detailOf(error, settings));
}

/** What happened, without the secret, which a provider can repeat. */
const detailOf = (error: unknown, { clientSecret }: ProviderSettings): string =>
  withoutSecrets(
    causes(error)
      .map((one) => (one instanceof ProviderProblem ? one.detail : saidBy(one)))
      .join(': '),
    clientSecret === '' ? [] : [clientSecret],
  );

/** What the provider said itself, if that is known (RFC 6749 section 5.2). */
const saidBy = (error: Error): string =>
  error instanceof ResponseBodyError || error instanceof AuthorizationResponseError
    ? [error.message, error.error, error.error_description ?? ''].filter((text) => text !== '').join(': ')
    : error.message;

const MOST_CAUSES = 5;

function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let one = error; one instanceof Error && found.length < MOST_CAUSES; one = one.cause) found.push(one);
  return found;
}
