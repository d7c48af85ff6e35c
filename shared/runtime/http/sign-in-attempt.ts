/** An attempt to sign in at the identity provider, in a cookie of the browser that makes it. Nothing is stored on the server. */
import * as z from 'zod/mini';
import { FRESH_SECONDS, type SignInAttempt } from '../../network/identity-provider-port.ts';
import { isSameSecret } from '../../protocol/same-secret.ts';

const NAME = '__Host-provider';
/** Lax, because the provider, another site, redirects the browser back. */
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
/** Long enough to sign in with a second factor. */
const ATTEMPT_SECONDS = FRESH_SECONDS;

const attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  isFresh: z.boolean(),
  /** When it began. */
  at: z.number(),
  /** The page to show then. */
  to: z.string(),
  /** The text of an invitation. */
  link: z.optional(z.string()),
  /** Where the session is that the browser has; its secret is not here. */
  replaces: z.optional(z.object({ organization: z.string(), id: z.string() })),
});

export type KeptAttempt = SignInAttempt & {
  readonly to: string;
  readonly link?: string | undefined;
  readonly replaces?: { readonly organization: string; readonly id: string } | undefined;
};

/** The header of a response that keeps an attempt. */
export const attemptCookie = (kept: KeptAttempt, now: Date) => ({
  'set-cookie': `${NAME}=${Buffer.from(JSON.stringify({ ...kept, at: now.getTime() })).toString('base64url')}; ${ATTRIBUTES}; Max-Age=${ATTEMPT_SECONDS}`,
});

/** What ends an attempt: its values are used once. */
export const endedAttempt = `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;

/**
 * The attempt of this browser that an answer of the provider belongs to. Undefined if the browser made none in the last ten
 * minutes, if it has two such cookies, one of which somebody else set, or if the answer has another state.
 */
export function attemptIn(
  cookies: readonly string[],
  state: string | null,
  now: Date,
): KeptAttempt | undefined {
  const prefix = `${NAME}=`;
  const [own, ...others] = cookies.filter((cookie) => cookie.startsWith(prefix));
  if (own === undefined || others.length > 0 || state === null) return undefined;
  const kept = read(own.slice(prefix.length));
  const age = kept === undefined ? 0 : now.getTime() - kept.at;
  if (kept === undefined || age < 0 || age > ATTEMPT_SECONDS * 1000) return undefined;
  return isSameSecret(state, kept.state) ? kept : undefined;
}

/** What tells browsers of a person apart. It starts no session. */
const BROWSER = '__Host-browser';
/** As long as browsers keep a cookie (RFC 6265bis section 5.5). */
const BROWSER_SECONDS = 400 * 86_400;

/** What the browser of a request is known by; undefined if it is not known, or if it has two such cookies. */
export function browserIn(cookies: readonly string[]): string | undefined {
  const prefix = `${BROWSER}=`;
  const [own = '', ...others] = cookies.filter((cookie) => cookie.startsWith(prefix));
  const secret = own.slice(prefix.length);
  return others.length === 0 && /^[\w-]{43}$/.test(secret) ? secret : undefined;
}

/** The header of a response after which the browser is known. */
export const browserCookie = (secret: string): string =>
  `${BROWSER}=${secret}; ${ATTRIBUTES}; Max-Age=${BROWSER_SECONDS}`;

function read(text: string): z.infer<typeof attempt> | undefined {
  try {
    return attempt.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data;
  } catch {
    // The browser wrote it.
    return undefined;
  }
}
