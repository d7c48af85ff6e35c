import { complianceCsv } from '../../shared/api/compliance.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { viewDocument } from '../../shared/pages/console/domain/document.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { ipData } from '../../shared/runtime/dependencies/ip-data.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { domainView } from '../../shared/views/domain/view.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.showDomainView,
  () => {
    const { REPORTS_DOMAIN, RETENTION_DAYS } = config();
    const kept = { retentionDays: RETENTION_DAYS };
    return {
      ...enforcementDependencies(),
      dns: dns(),
      domains: domainStore(table()),
      assessments: assessmentStore(table(), enforcement),
      compliance: complianceSettingsStore(table()),
      history: historyStore(table(), kept),
      selectors: seenSelectorStore(table()),
      dmarcReports: dmarcReportStore(table(), kept),
      tlsReports: tlsReportStore(table(), kept),
      reportsDomain: REPORTS_DOMAIN,
      ipData: ipData(),
    };
  },
  async (request, { domains, ...deps }) => {
    const { organization, path, query } = request;
    const domain = await requireDomain(domains, organization, path.id);
    const view = accepted(await domainView(domain, path.view, query, deps), 'query');
    if (view.name === 'compliance' && query.format === 'csv')
      return csvReply(complianceCsv(view.compliance), `${domain.domain}-${view.compliance.profile.id}.csv`);
    return reply(viewDocument(domain, request, view));
  },
);
