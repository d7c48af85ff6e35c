import { consolePages } from '../../shared/pages/console/layout.ts';
import { SETTINGS_PATH } from '../../shared/pages/console/settings.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import type { Reply } from '../../shared/runtime/http/reply.ts';
import { endedCookie, signInPath } from '../../shared/runtime/http/session-cookie.ts';
import { covers } from '../../shared/store/api-tokens.ts';
import { sessionStore, tokenIdIn } from '../../shared/store/sessions.ts';
import { routes } from './routes.ts';

/** Ends one session, or all. A token without the scope `admin` reaches its own sessions only. */
export const handler = endpoint(
  routes.endSessions,
  () => ({ sessions: sessionStore(table()) }),
  async ({ organization, token, session, form: { id } }, { sessions }): Promise<Reply<string>> => {
    const isAdmin = covers(token.scope, 'admin');
    if (id === 'all') await sessions.endAll(organization, isAdmin ? undefined : token.id);
    else if (isAdmin || tokenIdIn(id) === token.id) await sessions.end(organization, id);
    else throw new ServiceError('not_found', 'Your token has no such session.');
    const isOwn = id === 'all' || id === session.id;
    const subject =
      id === 'all' ? { id: null, name: isAdmin ? 'all sessions' : token.name } : { id: tokenIdIn(id) };
    return {
      data: '',
      subjects: [subject],
      headers: isOwn ? { location: signInPath(), ...endedCookie } : { location: `${SETTINGS_PATH}#sessions` },
    };
  },
  consolePages,
);
