import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getScoreHistory,
  () => ({
    domains: domainStore(table()),
    history: historyStore(table(), retention()),
    clock,
  }),
  async ({ organization, path, query }, { domains, history, clock }) => {
    await requireDomain(domains, organization, path.id);
    const { entries, hasMore } = await history.scores(path.id, query, clock.now());
    return page(entries, { ...query, hasMore });
  },
);
