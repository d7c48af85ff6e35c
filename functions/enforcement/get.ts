import { assessEnforcement } from '../../shared/enforcement/assess.ts';
import { versionOf } from '../../shared/operations/enforcement/update-enforcement.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { publishedReportAddress } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getEnforcement,
  assessDependencies,
  async ({ organization, path }, { domains, reportsDomain, ...deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const data = await assessEnforcement(
      { ...domain, mailbox: publishedReportAddress(domain, reportsDomain) },
      deps,
    );
    return { data, version: versionOf(data.attested) };
  },
);
