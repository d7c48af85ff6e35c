import { csv } from '../../shared/api/csv.ts';
import { DEFAULT_TTL } from '../../shared/protocol/zone-file/parse.ts';
import { zoneLines } from '../../shared/protocol/zone-file/write.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, contentReply, csvReply } from '../../shared/runtime/http/reply.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { domainsInFile } from '../../shared/views/domain-list.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** The TXT records that prove the ownership of domains, for those who publish many of them at once. */
export const handler = consoleEndpoint(
  routes.saveOwnershipRecords,
  () => ({ directory: directoryStore(table()), domains: domainStore(table()), naming: naming() }),
  async ({ organization, query: { ids, format, ...filter } }, { directory, domains, naming }) => {
    const found =
      ids.length > 0
        ? (await Promise.all(ids.map((id) => domains.get(organization, id)))).filter(
            (one) => one !== undefined,
          )
        : accepted(await domainsInFile(organization, filter, { directory }));
    const records = found.map((domain) => ({ domain, record: verificationRecordOf(domain, naming) }));
    if (format === 'csv')
      return csvReply(
        csv(
          ['domain', 'name', 'type', 'value', 'verified'],
          records.map(({ domain, record }) => [
            ...[domain.domain, record.hostname, record.type, record.value],
            domain.verified,
          ]),
        ),
        'ownership.csv',
      );
    const lines = records.flatMap(({ record: { hostname: name, type, value } }) =>
      zoneLines({ name, type, ttl: DEFAULT_TTL, values: [value] }),
    );
    return contentReply('text/plain; charset=utf-8', `${lines.join('\n')}\n`, 'ownership.zone');
  },
);
