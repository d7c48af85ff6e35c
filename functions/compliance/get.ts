import { complianceCsv } from '../../shared/api/compliance.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { complianceOf } from '../../shared/views/compliance.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.getCompliance,
  () => ({ checks: checkStore(table()), compliance: complianceSettingsStore(table()) }),
  async (domain, { query, accepts }, deps) => {
    const found = accepted(await complianceOf(domain, query.profile, deps), 'query');
    return accepts.format === undefined
      ? reply(found)
      : csvReply(complianceCsv(found), `${domain.domain}-${query.profile}.csv`);
  },
);
