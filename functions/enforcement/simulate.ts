import { simulateRecords } from '../../shared/operations/enforcement/simulate-records.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.simulateRecords,
  () => ({ domains: domainStore(table()), ...enforcementDependencies(), dns: dns() }),
  async ({ path, body, ...request }, deps) =>
    answer(await simulateRecords(asCaller(request), { ...path, ...body }, deps)),
);
