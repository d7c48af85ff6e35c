import { consolePages } from '../../shared/pages/console/layout.ts';
import { itemStore } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { endedCookie, sessionIn, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.signOut,
  () => ({ sessions: sessionStore(itemStore()) }),
  async ({ cookies }, { sessions }) => {
    const secret = sessionIn(cookies);
    if (secret !== undefined) await sessions.end(secret);
    return reply('', { location: signInPath(), ...endedCookie });
  },
  consolePages,
);
