import { csv } from '../../shared/api/csv.ts';
import { formatNumber } from '../../shared/protocol/quantity.ts';
import { DEFAULT_TTL } from '../../shared/protocol/zone-file/parse.ts';
import { zoneLines } from '../../shared/protocol/zone-file/write.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { contentReply, csvReply } from '../../shared/runtime/http/reply.ts';
import { type DirectoryStore, directoryStore } from '../../shared/store/domains/directory.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import type { DomainFilter } from '../../shared/store/domains/select-rows.ts';
import { verificationRecordOf } from '../../shared/store/domains/verification-record.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

/** As in the file with all domains. */
const MAX_DOMAINS = 10_000;

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
        : await allOf(organization, filter, directory);
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

async function allOf(
  organization: string,
  filter: DomainFilter,
  directory: Pick<DirectoryStore, 'search'>,
): Promise<readonly Domain[]> {
  const { domains, hasMore } = await directory.search(organization, filter, { page: 1, limit: MAX_DOMAINS });
  if (hasMore)
    throw new ServiceError(
      'payload_too_large',
      `A file holds at most ${formatNumber(MAX_DOMAINS)} domains. Use a filter.`,
    );
  return domains;
}
