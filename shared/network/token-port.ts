/** The port for access tokens of a program (RFC 6749 section 4.4), without the library behind it. */

export interface ClientGrant {
  /** The token endpoint, an https URL. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

export interface Tokens {
  /** An access token. @throws TokenProblem */
  clientToken(grant: ClientGrant): Promise<string>;
}

export type TokenProblemCode =
  | 'token-unreachable'
  | 'token-client'
  | 'token-client-secret'
  | 'token-tenant'
  | 'token-scope'
  | 'token-refused'
  | 'throttled';

/** Why there is no token. `detail`: what the authorization server said, for people; it can be anybody's text. */
export class TokenProblem extends Error {
  override readonly name = 'TokenProblem';
  readonly code: TokenProblemCode;
  readonly detail: string;
  /** How long the server wants nobody to ask again, if it said so. */
  readonly retrySeconds: number;

  constructor(code: TokenProblemCode, detail: string, retrySeconds = 0) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.retrySeconds = retrySeconds;
  }
}
