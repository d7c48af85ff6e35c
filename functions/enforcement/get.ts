import { assessEnforcement } from '../../shared/enforcement/assess.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { readinessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';
import { versionOf } from './rules.ts';

export const handler = endpoint(
  routes.getEnforcement,
  () => ({
    domains: domainStore(table()),
    deps: { ...readinessDependencies(), dns: dns() },
    reportsDomain: config().REPORTS_DOMAIN,
  }),
  async ({ organization, path }, { domains, deps, reportsDomain }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const data = await assessEnforcement({ ...domain, mailbox: reportAddress(domain, reportsDomain) }, deps);
    return { data, version: versionOf(data.attested) };
  },
);
