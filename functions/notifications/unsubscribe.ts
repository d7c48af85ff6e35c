import { pages } from '../../shared/pages/presentation.ts';
import { unsubscribePage } from '../../shared/pages/unsubscribe.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { requireMail, unsubscribeDependencies } from './unsubscribe-rules.ts';

export const handler = endpoint(
  routes.unsubscribe,
  unsubscribeDependencies,
  async ({ path }, deps) => {
    const { address } = await requireMail(path, deps);
    await deps.notifications.turnDigestOff(path.organization, address);
    return reply(unsubscribePage({ isOff: true }), { 'cache-control': 'no-store' });
  },
  pages,
);
