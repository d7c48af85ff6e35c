import { Refused } from '../../shared/operations/outcome.ts';
import { signIn } from '../../shared/operations/sessions/sign-in.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { signInPage } from '../../shared/pages/console/sign-in.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import {
  CONSOLE_PATH,
  keepsSession,
  returnPath,
  sessionCookie,
} from '../../shared/runtime/http/session-cookie.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.signIn,
  () => ({
    ...{ tokens: itemStore(), sessions: sessionStore(table()), clock },
    keepsSession: keepsSession(config().HOST_URL),
  }),
  async ({ form, ...request }, { keepsSession, ...deps }) => {
    const to = returnPath(form.to);
    const outcome = await signIn(form, request, deps);
    if (!(outcome instanceof Refused)) return reply('', { location: to, ...sessionCookie(outcome.value) });
    const shown = to === CONSOLE_PATH ? undefined : to;
    const data = signInPage({ keepsSession, to: shown, problem: outcome.message });
    return { data, status: 400 };
  },
  consolePages,
);
