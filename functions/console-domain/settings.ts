import { domainSettingsDocument } from '../../shared/pages/console/domain/document.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showDomainSettings,
  () => ({ domains: domainStore(table()), naming: naming() }),
  async (request, { domains, naming }) => {
    const domain = await requireDomain(domains, request.organization, request.path.id);
    return reply(domainSettingsDocument(domain, request, naming));
  },
);
