import { Refused } from '../../shared/operations/outcome.ts';
import { signIn } from '../../shared/operations/sessions/sign-in.ts';
import { hasFields } from '../../shared/pages/console/form-fields.ts';
import { clock, itemStore, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { returnTo } from '../../shared/runtime/http/return-to.ts';
import {
  returnPath,
  sessionCookie,
  sessionIn,
  signInPath,
} from '../../shared/runtime/http/session-cookie.ts';
import { record } from '../../shared/runtime/logging/metric.ts';
import { sessionPlaceIn, sessionStore, tokenIdIn } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.signIn,
  () => ({ tokens: itemStore(), sessions: sessionStore(table()), clock }),
  async ({ form, ...request }, deps) => {
    const to = returnPath(form.to);
    const outcome = await signIn(form, request, deps);
    const { clientAddress, cookies } = request;
    if (outcome instanceof Refused) {
      const problem = outcome.problems?.[0].path ?? '';
      record('sign-in failed', { problem, detail: '', clientAddress });
      return reply('', { location: signInPath(to, problem) });
    }
    const started = sessionPlaceIn(outcome.value);
    if (started !== undefined)
      record('signed in', {
        way: form.link === undefined ? 'token' : 'link',
        organization: started.organization,
        token: tokenIdIn(started.id),
        clientAddress,
      });
    const replaced = sessionPlaceIn(sessionIn(cookies) ?? '');
    if (replaced !== undefined) await deps.sessions.end(replaced.organization, replaced.id);
    const location = await returnTo(to, outcome.value, cookies, deps.clock.now(), hasFields);
    return reply('', { location, ...sessionCookie(outcome.value) });
  },
);
