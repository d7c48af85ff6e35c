import { askAboutDomainPage } from '../../shared/pages/console/ask.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.askAboutDomain,
  () => ({ domains: domainStore(table()) }),
  async ({ organization, path, query: { about }, ...visit }, { domains }) =>
    reply(askAboutDomainPage(visit, await requireDomain(domains, organization, path.id), about)),
);
