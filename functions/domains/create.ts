import { showCreatedDomain } from '../../shared/api/domains.ts';
import { createDomain } from '../../shared/operations/domains/create-domain.ts';
import { registrationDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.createDomain,
  registrationDependencies,
  createDomain,
  (domain, { naming }) => showCreatedDomain(domain, naming),
);
