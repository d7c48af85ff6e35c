import { addDomainsPage } from '../../shared/pages/console/add-domains.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

/** Shows the forms with what they did. */
export const handler = endpoint(
  routes.showAddDomains,
  () => ({}),
  async (visit) => reply(addDomainsPage(visit)),
  consolePages,
);
