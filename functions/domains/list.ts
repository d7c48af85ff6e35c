import { showDomain } from '../../shared/api/domains.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listDomains,
  () => ({ domains: domainStore(table()), naming: naming() }),
  async ({ organization, query }, { domains, naming }) => {
    const found = await domains.list(organization, query.page, query.limit);
    return page(
      found.domains.map((domain) => showDomain(domain, naming)),
      { ...query, hasMore: found.hasMore },
    );
  },
);
