/** The port for access tokens of a program, without the library behind it. */
import { Problem } from './problem.ts';

/** What asks for a token: the secret of a client, a refresh token of a user, or the signature of a service account for a user. */
export type Grant = {
  /** The token endpoint, an https URL. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
} & (
  | { readonly kind: 'oauth2-client-credentials'; readonly clientSecret: string }
  /** Public clients have no secret. */
  | {
      readonly kind: 'oauth2-refresh-token';
      readonly refreshToken: string;
      readonly clientSecret: string | undefined;
    }
  /** The private key is PEM (PKCS 8, RSA). */
  | { readonly kind: 'google-service-account'; readonly privateKey: string; readonly user: string }
);

/** In characters. With the secret of a client, it is encrypted as a whole, which KMS does up to 4 KB. */
export const MAX_REFRESH_TOKEN = 2_500;

export interface Token {
  readonly access: string;
  /** The refresh token that takes the place of the one before, which may no longer work (RFC 9700 section 4.14.2). */
  readonly refresh?: string;
}

export interface Tokens {
  /** @param signal Ends the request. @returns an access token (RFC 6749 sections 4.4 and 6, RFC 7523 section 2.1). @throws TokenProblem */
  tokenFor(grant: Grant, signal?: AbortSignal): Promise<Token>;
}

export type TokenProblemCode =
  | 'token-unreachable'
  | 'token-client'
  | 'token-client-secret'
  | 'token-key'
  | 'token-refresh'
  | 'token-tenant'
  | 'token-scope'
  | 'token-refused'
  | 'token-busy';

/** Why there is no token. */
export class TokenProblem extends Problem<TokenProblemCode> {
  override readonly name = 'TokenProblem';
}
