import { domainsCsv } from '../../shared/api/domains-csv.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { domainsInFile } from '../../shared/views/domain-list.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.saveDomains,
  () => ({ directory: directoryStore(table()) }),
  async ({ organization, query }, deps) =>
    csvReply(domainsCsv(accepted(await domainsInFile(organization, query, deps))), 'domains.csv'),
);
