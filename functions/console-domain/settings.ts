import { domainSettingsDocument } from '../../shared/pages/console/domain/document.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { naming } from '../../shared/runtime/dependencies/services.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.showDomainSettings,
  () => ({ naming: naming() }),
  async (domain, request, { naming }) => reply(domainSettingsDocument(domain, request, naming)),
  consolePages,
);
