import { showDomain } from '../../shared/api/domains.ts';
import { updateDomain } from '../../shared/operations/domains/update-domain.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.updateDomain,
  () => ({ domains: domainStore(table()), naming: naming(), clock }),
  updateDomain,
  (domain, { naming }) => ({ ...showDomain(domain, naming), verificationToken: domain.verificationToken }),
);
