import { domainsPage } from '../../shared/pages/console/domains.ts';
import { listDependencies } from '../../shared/runtime/dependencies/domain-list.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { savedViewStore } from '../../shared/store/saved-views.ts';
import { domainList } from '../../shared/views/domain-list.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showDomains,
  () => ({ ...listDependencies(), views: savedViewStore(table()) }),
  async ({ organization, canWrite, formToken, flash, query }, deps) => {
    const [list, views] = await Promise.all([
      domainList(organization, query, deps),
      deps.views.list(organization),
    ]);
    return reply(domainsPage({ ...list, views, canWrite, formToken, flash }));
  },
);
