/** The port for an identity provider that people sign in at (OpenID Connect), without the library behind it. */
import { Problem } from './problem.ts';

/** One attempt to sign in; only the browser that makes it knows its values. */
export interface SignInAttempt {
  /** Binds the answer of the provider to the browser (RFC 6749 section 10.12). */
  readonly state: string;
  /** Binds the ID token to the attempt (OpenID Connect Core 1.0, section 15.5.2). */
  readonly nonce: string;
  /** Proves that the code is used by who asked for it (RFC 7636). */
  readonly verifier: string;
  /** Whether the person has to prove anew who they are, even if they are signed in at the provider. */
  readonly isFresh: boolean;
}

/** A proof for a fresh attempt is not older than this, in seconds: as long as an attempt can take. */
export const FRESH_SECONDS = 10 * 60;

/** What the provider says about who signed in. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The mail address, in lowercase, if the provider verified that it is theirs. */
  readonly mail: string | undefined;
  /** When the person last proved who they are to the provider; undefined if it does not say. */
  readonly authenticatedAt: Date | undefined;
}

export interface IdentityProvider {
  newAttempt(isFresh: boolean): SignInAttempt;
  /** The page of the provider where the person signs in. @throws ProviderProblem `unreachable` */
  signInUrl(attempt: SignInAttempt): Promise<string>;
  /**
   * Who signed in. @param query That of the address to which the provider redirected the browser.
   * @throws ProviderProblem
   */
  identityIn(query: string, attempt: SignInAttempt): Promise<ProvenIdentity>;
  /** The page of the provider that ends the session there; undefined if it has none. @throws ProviderProblem `unreachable` */
  signOutUrl(): Promise<string | undefined>;
}

/**
 * Why nobody was signed in. `unreachable`: the provider did not answer, or with an error of its own. `declined`: the person, or
 * the provider, did not want to. `refused`: its answer does not prove anything; this is a wrong setting, or an attack.
 * `detail`: for the operator.
 */
export class ProviderProblem extends Problem<'unreachable' | 'declined' | 'refused'> {
  override readonly name = 'ProviderProblem';
}
