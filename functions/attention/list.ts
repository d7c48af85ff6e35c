import { validate as isUuid } from 'uuid';
import { showAttention } from '../../shared/api/attention.ts';
import { missing } from '../../shared/api/common.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { page } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { attentionStore } from '../../shared/store/attention.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listAttention,
  () => ({
    domains: domainStore(table()),
    directory: directoryStore(table()),
    attention: attentionStore(table()),
    naming: naming(),
    clock,
  }),
  async ({ organization, query }, { domains, directory, attention, naming, clock }) => {
    const { page: number, limit, tag, ...filter } = query;
    const now = clock.now();
    if (filter.domainId !== undefined) {
      // A malformed id is treated like an unknown one.
      if (!isUuid(filter.domainId)) throw new ServiceError('not_found', missing.domain);
      await requireDomain(domains, organization, filter.domainId);
    }
    const domainIds = tag === undefined ? undefined : await directory.idsWithTag(organization, tag);
    const { items, hasMore } = await attention.list(organization, { ...filter, domainIds }, query, now);
    return page(
      items.map((item) => showAttention(item, naming.hostUrl, now)),
      { page: number, limit, hasMore },
    );
  },
);
