import { addDomainsPage } from '../../shared/pages/console/add-domains.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Shows the forms with what they did. */
export const handler = consoleEndpoint(
  routes.showAddDomains,
  () => ({}),
  async (visit) => reply(addDomainsPage(visit)),
);
