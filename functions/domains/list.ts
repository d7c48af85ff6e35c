import { showDomain } from '../../shared/api/domains.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

/** Up to this item, reading all domains from the first one on costs less than the directory of a large organization. */
const DIRECT = 200;

export const handler = endpoint(
  routes.listDomains,
  () => ({ domains: domainStore(table()), directory: directoryStore(table()), naming: naming() }),
  async ({ organization, query }, { domains, directory, naming }) => {
    const { page: number, limit, sort, ...filter } = query;
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const isDirect = !isFiltered && sort === 'createdAt' && number * limit <= DIRECT;
    const found = isDirect
      ? await domains.list(organization, number, limit)
      : await directory.search(organization, { ...filter, sort }, query);
    return page(
      found.domains.map((domain) => showDomain(domain, naming)),
      { page: number, limit, hasMore: found.hasMore },
    );
  },
);
