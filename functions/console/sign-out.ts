import { endSessions } from '../../shared/operations/sessions/end-sessions.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signedOutPath, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { isMember } from '../../shared/store/api-tokens.ts';
import { memberStore } from '../../shared/store/members.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Ends the own session; signing out is not in the audit log. */
export const handler = consoleEndpoint(
  routes.signOut,
  () => ({ sessions: sessionStore(table()), members: memberStore(table()) }),
  async (request, deps) => {
    answer(await endSessions(request.caller, request.session, deps));
    // The session at the identity provider goes on.
    const location = isMember(request.token) ? signedOutPath : signInPath();
    return reply('', { location, ...endedCookie });
  },
);
