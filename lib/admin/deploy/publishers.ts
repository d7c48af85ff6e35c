/** Who still publishes a report address at a former domain of the service. */
import { mailboxUse } from '../../../shared/checks/report-mailbox.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { reportAddress } from '../../../shared/store/domains/report-address.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import type { Table } from '../../../shared/store/table.ts';

/** Checks that are read at the same time. */
const AT_ONCE = 25;

/** More than an organization has, and a number that DynamoDB accepts. */
const ALL = 1_000_000_000;

/** Reads the latest check of every domain. Returns the names of domains by the domain of the address that they publish. */
export async function publishersIn(
  table: Table,
  at: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const { id: organization } of await organizationStore(table).list()) {
    const { domains } = await domainStore(table).list(organization, 1, ALL);
    for (let from = 0; from < domains.length; from += AT_ONCE)
      await Promise.all(
        domains.slice(from, from + AT_ONCE).map(async (domain) => {
          const { results } = (await checkStore(table).latest(domain.id)) ?? {};
          const uris = [...(results?.dmarc.rua ?? []), ...(results?.tlsRpt.rua ?? [])];
          for (const former of at)
            if (mailboxUse(uris, reportAddress(domain, former)).isNamed)
              found.set(former, [...(found.get(former) ?? []), domain.domain]);
        }),
      );
  }
  return found;
}
