import { complianceCsv } from '../../shared/api/compliance.ts';
import { enforcement } from '../../shared/enforcement/shapes.ts';
import { viewDocument } from '../../shared/pages/console/domain/document.ts';
import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { enforcementDependencies } from '../../shared/runtime/dependencies/enforcement.ts';
import { ipData } from '../../shared/runtime/dependencies/ip-data.ts';
import { retention, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { assessmentStore } from '../../shared/store/enforcement/assessments.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { domainView } from '../../shared/views/domain/view.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.showDomainView,
  () => ({
    ...enforcementDependencies(),
    dns: dns(),
    assessments: assessmentStore(table(), enforcement),
    compliance: complianceSettingsStore(table()),
    history: historyStore(table(), retention()),
    selectors: seenSelectorStore(table()),
    dmarcReports: dmarcReportStore(table(), retention()),
    tlsReports: tlsReportStore(table(), retention()),
    reportsDomain: config().REPORTS_DOMAIN,
    ipData: ipData(),
  }),
  async (domain, request, deps) => {
    const { path, query } = request;
    const view = accepted(await domainView(domain, path.view, query, deps), 'query');
    if (view.name === 'compliance' && query.format === 'csv')
      return csvReply(complianceCsv(view.compliance), `${domain.domain}-${view.compliance.profile.id}.csv`);
    return reply(viewDocument(domain, request, view));
  },
  consolePages,
);
