/** The cookie of the console, and the address of the page to sign in. */
import { SESSION_SECONDS } from '../../store/sessions.ts';
import type { Reply } from './reply.ts';

/**
 * Browsers accept a cookie with this prefix from this host only, over HTTPS (or from this machine), and for all paths (RFC
 * 6265bis section 4.1.3.2): neither a host beside it nor one in between can set it.
 */
const NAME = '__Host-session';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Strict';

/** Pages of the console other than those to sign in and out. Nothing else is returned to after signing in. */
const RETURN_PATH = /^\/console(?:\/(?!sign-)[\w-]+)*(?:\?[\w.~%=&+!*'()-]*)?$/;

/** In characters. */
const MAX_RETURN = 2000;

/** The page to start with. */
export const CONSOLE_PATH = '/console';

/** The text of the session in the cookies of a request; undefined if there are two, one of which somebody else set. */
export function sessionIn(cookies: readonly string[]): string | undefined {
  const prefix = `${NAME}=`;
  const [own, ...others] = cookies.filter((cookie) => cookie.startsWith(prefix));
  return others.length > 0 ? undefined : own?.slice(prefix.length);
}

/** The header of a response that starts a session. */
export const sessionCookie = (text: string) => ({
  'set-cookie': `${NAME}=${text}; ${ATTRIBUTES}; Max-Age=${SESSION_SECONDS}`,
});

/** Whether browsers keep a Secure cookie of the service at this URL: over HTTPS, and from their own machine. */
export function keepsSession(hostUrl: string): boolean {
  const { protocol, hostname } = new URL(hostUrl);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The header of a response that ends a session. */
export const endedCookie = { 'set-cookie': `${NAME}=; ${ATTRIBUTES}; Max-Age=0` };

/** A reply after which the browser keeps no session. */
export const signedOut = <T>(reply: Reply<T>): Reply<T> => ({
  ...reply,
  headers: { ...reply.headers, ...endedCookie },
});

/**
 * The address of the page to sign in, which leads to the page `to` then.
 * @param failed Why the last attempt did nothing.
 */
export function signInPath(to?: string, failed?: string): string {
  const query = new URLSearchParams({
    ...(to !== undefined && to !== CONSOLE_PATH && { to }),
    ...(failed !== undefined && { failed }),
  });
  return `${CONSOLE_PATH}/sign-in${query.size === 0 ? '' : `?${query}`}`;
}

/** The page to sign in, after signing out of a session that the identity provider started. */
export const signedOutPath = `${CONSOLE_PATH}/sign-in?left=true`;

/** The address that leads to the identity provider, and then to the page `to`. @param more See `providerSignInQuery`. */
export function providerSignInPath(
  to: string | undefined,
  more: { readonly link?: string; readonly fresh?: boolean } = {},
): string {
  const query = new URLSearchParams({
    ...(to !== undefined && to !== CONSOLE_PATH && { to }),
    ...(more.link !== undefined && { link: more.link }),
    ...(more.fresh === true && { fresh: 'true' }),
  });
  return `${CONSOLE_PATH}/sign-in/provider${query.size === 0 ? '' : `?${query}`}`;
}

/** The address of the page to sign in with a one-time link. */
export const signInLinkPath = (link: string): string =>
  `${CONSOLE_PATH}/sign-in?${new URLSearchParams({ link })}`;

/** The page to show after signing in: only pages of the console, whatever a link to the form says. */
export const returnPath = (to: string | undefined): string =>
  to !== undefined && to.length <= MAX_RETURN && RETURN_PATH.test(to) ? to : CONSOLE_PATH;

/** The parameter of a page's address that has the ID of what a form did. */
export const FLASH = 'flash';

/** An address of this service with another flash, or without one. */
export function withFlash(location: string, id: string | undefined): string {
  const [path = '', fragment] = location.split('#');
  const [page = '', search = ''] = path.split('?');
  const query = new URLSearchParams(search);
  query.delete(FLASH);
  if (id !== undefined) query.set(FLASH, id);
  // A fragment would lead the reader away from what the page says about the form.
  return `${page}${query.size === 0 ? '' : `?${query}`}${fragment === undefined || id !== undefined ? '' : `#${fragment}`}`;
}

/** What is known about a request with a form. */
interface SentForm {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly pathParameters?: Readonly<Record<string, string | undefined>>;
}

/** The path and query of the page of this host that a request came from, as browsers say in the header `Referer`. */
export function refererPath({ referer = '', host }: SentForm['headers']): string | undefined {
  const from = URL.canParse(referer) ? new URL(referer) : undefined;
  // Two slashes would lead to another host.
  if (from === undefined || from.host !== host || from.pathname.startsWith('//')) return undefined;
  return `${from.pathname}${from.search}`;
}

/**
 * The page that a form was on, as browsers say in the header `Referer`: only a page of the console, and none that asked
 * something before, because its question is answered.
 * @param template Of the page, for browsers that do not say.
 */
export function pageOfForm({ headers, pathParameters = {} }: SentForm, template = CONSOLE_PATH): string {
  const from = refererPath(headers) ?? '';
  const path = /\/(?:ask|confirm)(?:\?|$)/.test(from) ? '' : from;
  if (RETURN_PATH.test(path) && path.length <= MAX_RETURN) return path;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(pathParameters[name] ?? ''),
  );
}
