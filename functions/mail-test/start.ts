import { testPath } from '../../shared/api/mail-tests.ts';
import { startedPage } from '../../shared/pages/mail-test/start.ts';
import { pages } from '../../shared/pages/presentation.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { testSessionStore } from '../../shared/store/test-sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.startTest,
  () => ({ sessions: testSessionStore(table()), clock }),
  async (_request, { sessions, clock }) => {
    const { testId } = await sessions.create(clock.now());
    const path = testPath(testId);
    return reply(startedPage(path), { location: path });
  },
  pages,
);
