import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.getChecksHistory,
  () => ({ history: historyStore(table(), retention()), clock }),
  async ({ id }, { query }, { history, clock }) => {
    const { entries, hasMore } = await history.checks(id, query, clock.now());
    return page(entries, { ...query, hasMore });
  },
);
