import { searchPage } from '../../shared/pages/console/search.ts';
import { organizationSumsStores } from '../../shared/runtime/dependencies/organization-sums.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { searchFor } from '../../shared/views/search.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.searchConsole,
  () => ({
    domains: domainStore(table()),
    directory: directoryStore(table()),
    sums: organizationSumsStores(),
    clock,
  }),
  async ({ organization, formToken, flash, query: { q } }, deps) =>
    reply(searchPage({ ...(await searchFor(organization, q, deps)), formToken, flash })),
);
