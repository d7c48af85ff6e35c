import { consolePages } from '../../shared/pages/console/layout.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { routes } from './routes.ts';
import { showDomains } from './rules.ts';

export const handler = endpoint(
  routes.showDomains,
  () => ({ directory: directoryStore(table()), clock }),
  async (request, deps) => reply(await showDomains(request, deps)),
  consolePages,
);
