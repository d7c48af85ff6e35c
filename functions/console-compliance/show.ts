import { organizationComplianceCsv } from '../../shared/api/compliance.ts';
import { organizationCompliancePage } from '../../shared/pages/console/compliance.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { directoryStore } from '../../shared/store/domains/directory.ts';
import { organizationComplianceView } from '../../shared/views/compliance.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

const DOMAINS_PER_PAGE = 100;

export const handler = consoleEndpoint(
  routes.showCompliance,
  () => ({
    checks: checkStore(table()),
    compliance: complianceSettingsStore(table()),
    directory: directoryStore(table()),
    clock,
  }),
  async ({ organization, query, canWrite, formToken, flash }, { clock, ...deps }) => {
    const { page, status, format, profile } = query;
    const wanted = { page, status, profile, limit: DOMAINS_PER_PAGE };
    const found = await organizationComplianceView(organization, wanted, deps, clock.now());
    const view = accepted(found, 'query');
    if (format === 'csv')
      return csvReply(organizationComplianceCsv(view.profile, view.domains), `${view.profile.id}.csv`);
    const hasMore = view.matching > page * DOMAINS_PER_PAGE;
    return reply(organizationCompliancePage({ view, status, page, hasMore, canWrite, formToken, flash }));
  },
);
