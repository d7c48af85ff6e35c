import { consolePages } from '../../shared/pages/console/layout.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';
import { listDependencies, showDomains } from './rules.ts';

export const handler = endpoint(
  routes.showDomains,
  listDependencies,
  async (request, deps) => reply(await showDomains(request, deps)),
  consolePages,
);
