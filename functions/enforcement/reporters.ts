import { reportersOf } from '../../shared/enforcement/reporters.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, pageOf } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listReporters,
  () => ({ domains: domainStore(table()), ...enforcementDependencies() }),
  async ({ organization, path, query }, { domains, summaries, clock }) => {
    const { domain } = await requireDomain(domains, organization, path.id);
    const now = clock.now();
    const days = summaries.eachDay(path.id, accepted(daysOf(query, now), 'query'), now);
    return pageOf(await reportersOf(domain, days), query);
  },
);
