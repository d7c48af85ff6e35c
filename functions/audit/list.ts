import { windowOf } from '../../shared/api/report-queries.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listAudit,
  () => ({ audit: auditStore(table()), clock }),
  async ({ organization, query }, { audit, clock }) => {
    const { page: number, limit } = query;
    const { entries, hasMore } = await audit.list(organization, windowOf(query), query, clock.now());
    return page([...entries], { page: number, limit, hasMore });
  },
);
