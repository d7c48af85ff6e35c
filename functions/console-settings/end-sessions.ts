import { endSessions } from '../../shared/operations/sessions/end-sessions.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { signedOut, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { memberStore } from '../../shared/store/members.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { changed } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.endSessions,
  () => ({ sessions: sessionStore(table()), members: memberStore(table()) }),
  async ({ caller, form: { id }, session }, deps) => {
    const outcome = await endSessions(caller, { id }, deps);
    return id === 'all' || id === session.id
      ? signedOut(redirect(outcome, () => signInPath()))
      : changed(outcome, () => ({ says: 'The session has ended.' }));
  },
);
