import { Refused } from '../../shared/operations/outcome.ts';
import { signIn } from '../../shared/operations/sessions/sign-in.ts';
import { hasFields } from '../../shared/pages/console/form-fields.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { clock, itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { returnTo } from '../../shared/runtime/http/return-to.ts';
import { returnPath, sessionCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.signIn,
  () => ({ tokens: itemStore(), sessions: sessionStore(table()), clock }),
  async ({ form, ...request }, deps) => {
    const to = returnPath(form.to);
    const outcome = await signIn(form, request, deps);
    if (outcome instanceof Refused)
      return reply('', { location: signInPath(to, outcome.problems?.[0].path) });
    const location = await returnTo(to, outcome.value, request.cookies, deps.clock.now(), hasFields);
    return reply('', { location, ...sessionCookie(outcome.value) });
  },
  consolePages,
);
