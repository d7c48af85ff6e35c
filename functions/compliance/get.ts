import { complianceCsv } from '../../shared/api/compliance.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { complianceOf } from '../../shared/views/compliance.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getCompliance,
  () => ({
    domains: domainStore(table()),
    checks: checkStore(table()),
    compliance: complianceSettingsStore(table()),
  }),
  async ({ organization, path, query, accepts }, { domains, ...deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const found = accepted(await complianceOf(domain, query.profile, deps), 'query');
    return accepts.format === undefined
      ? reply(found)
      : csvReply(complianceCsv(found), `${domain.domain}-${query.profile}.csv`);
  },
);
