import { consolePages } from '../../shared/pages/console/layout.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.signOut,
  () => ({ sessions: sessionStore(table()) }),
  async ({ organization, session }, { sessions }) => {
    await sessions.end(organization, session.id);
    return reply('', { location: signInPath(), ...endedCookie });
  },
  consolePages,
);
