import { unsubscribe } from '../../shared/operations/notifications/unsubscribe.ts';
import { pages } from '../../shared/pages/presentation.ts';
import { unsubscribePage } from '../../shared/pages/unsubscribe.ts';
import { unsubscribeDependencies } from '../../shared/runtime/dependencies/notifications.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.unsubscribe,
  unsubscribeDependencies,
  async ({ path }, deps) => ({
    ...answer(await unsubscribe(path, deps), () => unsubscribePage({ isOff: true })),
    headers: { 'cache-control': 'no-store' },
  }),
  pages,
);
