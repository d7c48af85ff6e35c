import { consolePages } from '../../shared/pages/console/layout.ts';
import { signInPage } from '../../shared/pages/console/sign-in.ts';
import { clock, itemStore } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isAdmitted } from '../../shared/runtime/http/middleware/admit.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { CONSOLE_PATH, returnPath, sessionCookie } from '../../shared/runtime/http/session-cookie.ts';
import { validToken } from '../../shared/store/api-tokens.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

const problems = {
  link: 'The link was used already, or is older than 15 minutes. Sign in with an API token, or create another link.',
  token: 'The API token is unknown, was revoked, or has expired.',
  address: 'The API token cannot be used from your address.',
} as const;

export const handler = endpoint(
  routes.signIn,
  () => ({ table: itemStore(), sessions: sessionStore(itemStore()), clock }),
  async ({ form, clientAddress }, { table, sessions, clock }) => {
    const now = clock.now();
    const to = returnPath(form.to);
    const refuse = (problem: string) => {
      const shown = to === CONSOLE_PATH ? undefined : to;
      return { ...reply(signInPage({ to: shown, problem })), status: 400 as const };
    };
    const start = async (tokenHash: string) =>
      reply('', { location: to, ...sessionCookie(await sessions.start(tokenHash, now)) });
    if (form.link !== undefined) {
      const tokenHash = await sessions.takeLink(form.link, now);
      return tokenHash === undefined ? refuse(problems.link) : start(tokenHash);
    }
    const token = await validToken(table, form.token?.trim() ?? '', now);
    if (token === undefined) return refuse(problems.token);
    return isAdmitted(clientAddress, token) ? start(token.hash) : refuse(problems.address);
  },
  consolePages,
);
