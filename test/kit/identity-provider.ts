/** A real identity provider with HTTPS on loopback, and a browser that signs in there. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, request } from 'node:https';
import { Provider } from 'oidc-provider';

export const PROVIDER_HOST = 'login.test';
export const PROVIDER_CLIENT = { clientId: 'monitor', clientSecret: 'p~ss w.rd&%+=' } as const;

/** An account of the provider. */
export interface Account {
  readonly subject: string;
  readonly email: string;
  readonly email_verified: boolean;
}

export interface TestProvider {
  readonly port: number;
  readonly issuer: string;
  /** Signs in, as a browser does, and returns where the provider redirects to. An account that declines has no subject. */
  signIn(url: string, account: Account): Promise<URL>;
  /** From now on, tokens are signed with another key, and the one before is forgotten. */
  rotateKeys(): void;
  stop(): Promise<void>;
}

interface Options {
  readonly returnUrl: string;
  /** Whether the mail address is in the ID token, or only where an access token leads. */
  readonly mailIn?: 'id-token' | 'userinfo';
  readonly idTokenSeconds?: number;
  readonly isPublic?: boolean;
}

export async function startIdentityProvider(
  certificate: { readonly cert: string; readonly key: string },
  { returnUrl, mailIn = 'id-token', idTokenSeconds = 3_600, isPublic = false }: Options,
): Promise<TestProvider> {
  const issuer = `https://${PROVIDER_HOST}`;
  const accounts = new Map<string, Account>();
  let signingIn: Account | undefined;

  function makeProvider(kid: string): Provider {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { clientId, clientSecret } = PROVIDER_CLIENT;
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          ...(isPublic
            ? { token_endpoint_auth_method: 'none' }
            : { client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_post' }),
          redirect_uris: [returnUrl],
          post_logout_redirect_uris: [returnUrl.replace(/\/return$/, '')],
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid }] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: mailIn === 'userinfo',
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => {
          const { email, email_verified } = accounts.get(accountId) ?? {};
          return { sub: accountId, email, email_verified };
        },
      }),
      pkce: { required: () => true },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
      ttl: { IdToken: idTokenSeconds, AccessToken: 3_600, Grant: 86_400, Interaction: 600, Session: 86_400 },
      cookies: { keys: ['test'] },
    });
    return provider;
  }

  let keys = 1;
  let provider = makeProvider('key-1');
  const server = createServer(certificate, async (incoming, response) => {
    if (!incoming.url?.startsWith('/interaction/')) return provider.callback()(incoming, response);
    const account = signingIn;
    if (account === undefined || account.subject === '') {
      const result = { error: 'access_denied', error_description: 'the person did not want to' };
      return provider.interactionFinished(incoming, response, result);
    }
    const grant = new provider.Grant({ clientId: PROVIDER_CLIENT.clientId, accountId: account.subject });
    grant.addOIDCScope('openid email');
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(incoming, response, {
      login: { accountId: account.subject },
      consent,
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;

  /** One request of the browser: the status, and where it leads. */
  const visit = (url: URL, jar: Map<string, string>) =>
    new Promise<URL | undefined>((resolve, reject) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { host: PROVIDER_HOST, cookie };
      const path = `${url.pathname}${url.search}`;
      const sent = request(
        { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false },
        (answer) => {
          answer.resume();
          for (const one of answer.headers['set-cookie'] ?? []) {
            const [name = '', value = ''] = (one.split(';')[0] ?? '').split('=');
            jar.set(name, value);
          }
          const { location } = answer.headers;
          resolve(location === undefined ? undefined : new URL(location, issuer));
        },
      );
      sent.on('error', reject);
      sent.end();
    });

  return {
    port,
    issuer,
    async signIn(url, account) {
      accounts.set(account.subject, account);
      signingIn = account;
      const jar = new Map<string, string>();
      let at = new URL(url);
      for (let hop = 0; hop < 10; hop += 1) {
        const next = await visit(at, jar);
        if (next === undefined) throw new Error(`the provider leads nowhere from ${at.pathname}`);
        if (next.href.startsWith(returnUrl)) return next;
        at = next;
      }
      throw new Error('the provider redirects without end');
    },
    rotateKeys() {
      keys += 1;
      provider = makeProvider(`key-${keys}`);
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
