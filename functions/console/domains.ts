import { domainsPage } from '../../shared/pages/console/domains.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { listDependencies } from '../../shared/runtime/dependencies/domain-list.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { covers } from '../../shared/store/api-tokens.ts';
import { domainList } from '../../shared/views/domain-list.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showDomains,
  listDependencies,
  async ({ organization, token, formToken, flash, query }, deps) => {
    const list = await domainList(organization, query, deps);
    return reply(domainsPage({ ...list, canWrite: covers(token.scope, 'write'), formToken, flash }));
  },
  consolePages,
);
