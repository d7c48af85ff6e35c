import { reportersOf } from '../../shared/enforcement/reporters.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { accepted, pageOf } from '../../shared/runtime/http/reply.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.listReporters,
  enforcementDependencies,
  async ({ id, domain }, { query }, { summaries, clock }) => {
    const now = clock.now();
    const days = summaries.eachDay(id, accepted(daysOf(query, now), 'query'), now);
    return pageOf(await reportersOf(domain, days), query);
  },
);
