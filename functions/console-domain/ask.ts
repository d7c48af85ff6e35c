import { askAboutDomainPage } from '../../shared/pages/console/ask.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.askAboutDomain,
  () => ({}),
  async (domain, { query: { about }, ...visit }) => reply(askAboutDomainPage(visit, domain, about)),
  consolePages,
);
