import { pages } from '../../shared/pages/presentation.ts';
import { unsubscribePage } from '../../shared/pages/unsubscribe.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { requireMail, unsubscribeDependencies } from './unsubscribe-rules.ts';

export const handler = endpoint(
  routes.getUnsubscribePage,
  unsubscribeDependencies,
  async ({ path }, deps) => {
    const { digestMinute } = await requireMail(path, deps);
    return reply(unsubscribePage({ isOff: digestMinute === null }), { 'cache-control': 'no-store' });
  },
  pages,
);
