/** The cookie of the console, and the address of the page to sign in. */
import { SESSION_SECONDS } from '../../store/sessions.ts';

const NAME = 'console-session';
const ATTRIBUTES = 'Path=/console; HttpOnly; Secure; SameSite=Strict';

/** Pages of the console other than those to sign in and out. Nothing else is returned to after signing in. */
const RETURN_PATH = /^\/console(?:\/(?!sign-)[\w-]+)*(?:\?[\w.~%=&+!*'()-]*)?$/;

/** The page to start with. */
export const CONSOLE_PATH = '/console';

/** The secret of the session in the cookies of a request. */
export function sessionIn(cookies: readonly string[]): string | undefined {
  const prefix = `${NAME}=`;
  return cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
}

/** The header of a response that starts a session. */
export const sessionCookie = (secret: string) => ({
  'set-cookie': `${NAME}=${secret}; ${ATTRIBUTES}; Max-Age=${SESSION_SECONDS}`,
});

/** The header of a response that ends a session. */
export const endedCookie = { 'set-cookie': `${NAME}=; ${ATTRIBUTES}; Max-Age=0` };

/** The address of the page to sign in, which leads to the page `to` then. */
export function signInPath(to?: string): string {
  const query = to === undefined || to === CONSOLE_PATH ? '' : `?${new URLSearchParams({ to })}`;
  return `${CONSOLE_PATH}/sign-in${query}`;
}

/** The address of the page to sign in with a one-time link. */
export const signInLinkPath = (secret: string): string =>
  `${CONSOLE_PATH}/sign-in?${new URLSearchParams({ link: secret })}`;

/** The page to show after signing in: only pages of the console, whatever a link to the form says. */
export const returnPath = (to: string | undefined): string =>
  to !== undefined && to.length <= 2000 && RETURN_PATH.test(to) ? to : CONSOLE_PATH;
