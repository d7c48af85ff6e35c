import { simulateRecords } from '../../shared/operations/enforcement/simulate-records.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.simulateRecords,
  () => ({ domains: domainStore(table()), ...enforcementDependencies(), dns: dns() }),
  simulateRecords,
);
