import { domainsCsv } from '../../shared/api/domains-csv.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { csvReply } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** Each domain costs about a tenth of a read unit, and their items have to fit into memory. */
const MAX_DOMAINS = 10_000;

export const handler = consoleEndpoint(
  routes.saveDomains,
  () => ({ directory: directoryStore(table()) }),
  async ({ organization, query }, { directory }) => {
    const all = { page: 1, limit: MAX_DOMAINS };
    const { domains, hasMore } = await directory.search(organization, query, all);
    if (hasMore)
      throw new ServiceError(
        'payload_too_large',
        `A file holds at most ${formatNumber(MAX_DOMAINS)} domains. Use a filter.`,
      );
    return csvReply(domainsCsv(domains), 'domains.csv');
  },
);
