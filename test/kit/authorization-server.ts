/** A real authorization server with HTTPS on loopback: clients with a secret, and refresh tokens that each use replaces. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import { Provider } from 'oidc-provider';

export interface AuthorizationServer {
  readonly port: number;
  /** The key (PEM) that verifies its access tokens: JWTs of RS256 with the user, or the client, as `sub`. */
  readonly tokenKey: string;
  /** A refresh token of a user who let the client read mail. */
  refreshTokenFor(user: string): Promise<string>;
  stop(): Promise<void>;
}

export const AUTHORIZATION_HOST = 'login.test';
export const CLIENT = { clientId: 'reports', clientSecret: 'p~ss w.rd&%+=' } as const;
const RESOURCE = 'https://mail.test/';
export const MAIL_SCOPE = 'mail.read';

export async function startAuthorizationServer(certificate: {
  readonly cert: string;
  readonly key: string;
}): Promise<AuthorizationServer> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(`https://${AUTHORIZATION_HOST}`, {
    clients: [
      {
        ...{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret },
        ...{ token_endpoint_auth_method: 'client_secret_post', response_types: ['code'] },
        ...{ redirect_uris: ['https://client.test/'], scope: `openid offline_access ${MAIL_SCOPE}` },
        grant_types: ['authorization_code', 'client_credentials', 'refresh_token'],
      },
    ],
    jwks: {
      keys: [{ ...keys.privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'default' }],
    },
    scopes: ['openid', 'offline_access', MAIL_SCOPE],
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          ...{ scope: MAIL_SCOPE, audience: RESOURCE, accessTokenFormat: 'jwt' },
          ...{ accessTokenTTL: 3_600, jwt: { sign: { alg: 'RS256' } } },
        }),
      },
    },
    formats: {
      // Dovecot does not know the type `at+jwt` (RFC 9068).
      customizers: {
        jwt(_context, _token, parts) {
          parts.header = { ...parts.header, typ: 'JWT' };
        },
      },
    },
    ttl: { ClientCredentials: 3_600, AccessToken: 3_600, Grant: 86_400, RefreshToken: 86_400 },
  });
  const server = createServer(certificate, provider.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    tokenKey: String(keys.publicKey.export({ type: 'spki', format: 'pem' })).trim(),
    async refreshTokenFor(accountId) {
      const grant = new provider.Grant({ clientId: CLIENT.clientId, accountId });
      grant.addOIDCScope('openid offline_access');
      grant.addResourceScope(RESOURCE, MAIL_SCOPE);
      const client = await provider.Client.find(CLIENT.clientId);
      if (client === undefined) throw new Error('the client is missing');
      const token = new provider.RefreshToken({
        ...{ client, accountId, grantId: await grant.save(), gty: 'authorization_code', rotations: 0 },
        ...{ scope: `openid offline_access ${MAIL_SCOPE}`, resource: RESOURCE, expiresWithSession: false },
        ...{ iiat: Math.floor(Date.now() / 1000), authTime: Math.floor(Date.now() / 1000) },
      });
      return token.save();
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
