import type { ErrorDetail } from '../../shared/api/error-table.ts';
import { simulateRecords } from '../../shared/enforcement/simulate-records.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { daysOf } from '../reports/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.simulateRecords,
  () => ({ domains: domainStore(table()), deps: { ...enforcementDependencies(), dns: dns() } }),
  async ({ organization, path, body }, { domains, deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const request = { proposed: body, days: daysOf(body, deps.clock.now(), 'body') };
    const result = await simulateRecords(domain, request, deps);
    if ('simulation' in result) return reply(result.simulation);
    const [first, ...others] = result.problems.map(
      ({ record, message }): ErrorDetail => ({ path: `body.${record}`, message }),
    );
    throw invalidRequest(first ?? { path: 'body', message: 'must contain valid records' }, ...others);
  },
);
