import { organizationComplianceCsv } from '../../shared/api/compliance.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, csvReply, page } from '../../shared/runtime/http/reply.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { organizationComplianceOf } from '../../shared/views/compliance.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.listCompliance,
  () => ({
    checks: checkStore(table()),
    compliance: complianceSettingsStore(table()),
    directory: directoryStore(table()),
    clock,
  }),
  async ({ organization, query, accepts }, { clock, ...deps }) => {
    const outcome = await organizationComplianceOf(organization, query, deps, clock.now());
    const { matching, ...found } = accepted(outcome, 'query');
    const { page: number, limit } = query;
    const hasMore = matching > number * limit;
    if (accepts.format === undefined) return page(found, { page: number, limit, hasMore });
    return csvReply(organizationComplianceCsv(found.profile, found.domains), `${query.profile}.csv`);
  },
);
