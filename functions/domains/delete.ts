import { missing } from '../../shared/api/common.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';
import { requireDomain, subjectOf } from './rules.ts';

export const handler = endpoint(
  routes.deleteDomain,
  () => ({ domains: domainStore(table()), deletions: queue('deletions'), clock }),
  async ({ organization, path }, { domains, deletions, clock }) => {
    const domain = await requireDomain(domains, organization, path.id);
    // Of several requests at the same time, one removes it.
    if (!(await domains.remove(domain, clock.now()))) throw new ServiceError('not_found', missing.domain);
    // The write above removed the domain; if this message is lost, the `resumeDeletions` schedule sends it again.
    await deletions.send({ domainId: domain.id });
    return { ...reply({ deleted: true as const }), subjects: [subjectOf(domain)] };
  },
);
