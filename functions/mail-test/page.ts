import { missing } from '../../shared/api/common.ts';
import { showTestSession } from '../../shared/api/mail-tests.ts';
import { testPage } from '../../shared/pages/mail-test/page.ts';
import { pagesWith } from '../../shared/pages/presentation.ts';
import { mailTestStyle } from '../../shared/pages/style.ts';
import { clock, table, testerNames } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { testSessionStore } from '../../shared/store/test-sessions.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getTestPage,
  () => ({ sessions: testSessionStore(table()), names: testerNames(), clock }),
  async ({ path: { testId } }, { sessions, names, clock }) => {
    const session = existing(await sessions.get(testId, clock.now()), missing.test);
    // A waiting page polls this header to learn when the result is ready.
    const headers = { 'cache-control': 'no-store', 'test-status': session.status };
    return reply(testPage(session, showTestSession(session, names)), headers);
  },
  pagesWith(mailTestStyle),
);
