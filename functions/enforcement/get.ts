import { assessEnforcement } from '../../shared/enforcement/assess.ts';
import { versionOf } from '../../shared/operations/enforcement/update-enforcement.ts';
import { assessDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { publishedReportAddress } from '../../shared/store/domains/report-address.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.getEnforcement,
  assessDependencies,
  async (domain, _request, { reportsDomain, ...deps }) => {
    const mailbox = publishedReportAddress(domain, reportsDomain);
    const data = await assessEnforcement({ ...domain, mailbox }, deps);
    return { data, version: versionOf(data.attested) };
  },
);
