import { consolePages } from '../../shared/pages/console/layout.ts';
import { signInPage } from '../../shared/pages/console/sign-in.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isAdmitted } from '../../shared/runtime/http/middleware/admit.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import {
  CONSOLE_PATH,
  keepsSession,
  returnPath,
  sessionCookie,
} from '../../shared/runtime/http/session-cookie.ts';
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
  () => ({ table: itemStore(), sessions: sessionStore(table()), clock }),
  async ({ form, clientAddress, userAgent }, { table, sessions, clock }) => {
    const now = clock.now();
    const to = returnPath(form.to);
    const refuse = (problem: string) => {
      const shown = to === CONSOLE_PATH ? undefined : to;
      return {
        ...reply(signInPage({ keepsSession: keepsSession(config().HOST_URL), to: shown, problem })),
        status: 400 as const,
      };
    };
    const token =
      form.link === undefined
        ? await validToken(table, form.token?.trim() ?? '', now)
        : await sessions.takeLink(form.link, now);
    if (token === undefined) return refuse(form.link === undefined ? problems.token : problems.link);
    if (!isAdmitted(clientAddress, token)) return refuse(problems.address);
    const session = await sessions.start(token, userAgent, now);
    return reply('', { location: to, ...sessionCookie(session) });
  },
  consolePages,
);
