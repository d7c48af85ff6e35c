import { endSessions } from '../../shared/operations/sessions/end-sessions.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { memberStore } from '../../shared/store/members.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.endSessions,
  () => ({ sessions: sessionStore(table()), members: memberStore(table()) }),
  async ({ form: { id }, ...request }, deps) => {
    const isOwn = id === 'all' || id === request.session.id;
    const ended = redirect(
      await endSessions(asCaller(request), { id }, deps),
      () => (isOwn ? signInPath() : SETTINGS_PATH),
      isOwn ? undefined : () => ({ says: 'The session has ended.' }),
    );
    return isOwn ? { ...ended, headers: { ...ended.headers, ...endedCookie } } : ended;
  },
);
