import { showTestSession } from '../../shared/api/mail-tests.ts';
import { clock, table, testerNames } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { testSessionStore } from '../../shared/store/test-sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.createTestSession,
  () => ({ sessions: testSessionStore(table()), names: testerNames(), clock }),
  async (_request, { sessions, names, clock }) =>
    reply(showTestSession(await sessions.create(clock.now()), names)),
);
