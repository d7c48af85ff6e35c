import { verifyDomain } from '../../shared/operations/domains/verify-domain.ts';
import { verifyDependencies } from '../../shared/runtime/dependencies/domains.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(routes.verifyDomain, verifyDependencies, verifyDomain);
