import { sendersOf } from '../../shared/enforcement/senders.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { accepted, pageOf } from '../../shared/runtime/http/reply.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.listSenders,
  enforcementDependencies,
  async ({ id, domain }, { query }, { summaries, decisions, clock }) => {
    const now = clock.now();
    const decided = await decisions.list(id);
    const days = summaries.eachDay(id, accepted(daysOf(query, now), 'query'), now);
    const wanted = (await sendersOf(domain, days, decided))
      .filter(({ status }) => query.status === undefined || (status ?? 'none') === query.status)
      .filter(({ failedMessages }) => !query.failing || failedMessages > 0);
    return pageOf(wanted, query);
  },
);
