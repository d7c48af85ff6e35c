import { linkedMail } from '../../shared/operations/notifications/unsubscribe.ts';
import { pages } from '../../shared/pages/presentation.ts';
import { unsubscribePage } from '../../shared/pages/unsubscribe.ts';
import { unsubscribeDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getUnsubscribePage,
  unsubscribeDependencies,
  async ({ path }, deps) => ({
    ...answer(await linkedMail(path, deps), ({ digestMinute }) =>
      unsubscribePage({ isOff: digestMinute === null }),
    ),
    headers: { 'cache-control': 'no-store' },
  }),
  pages,
);
