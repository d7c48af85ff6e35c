import { sendersOf } from '../../shared/enforcement/senders.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, pageOf } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listSenders,
  () => ({ domains: domainStore(table()), ...enforcementDependencies() }),
  async ({ organization, path, query }, { domains, summaries, decisions, clock }) => {
    const { domain } = await requireDomain(domains, organization, path.id);
    const now = clock.now();
    const decided = await decisions.list(path.id);
    const senders = await sendersOf(
      domain,
      summaries.eachDay(path.id, accepted(daysOf(query, now), 'query'), now),
      decided,
    );
    const wanted = senders
      .filter(({ status }) => query.status === undefined || (status ?? 'none') === query.status)
      .filter(({ failedMessages }) => !query.failing || failedMessages > 0);
    return pageOf(wanted, query);
  },
);
