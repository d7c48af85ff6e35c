import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { routes } from './routes.ts';
import { showOverview } from './rules.ts';

export const handler = endpoint(
  routes.showDomainOverview,
  () => {
    const { REPORTS_DOMAIN, RETENTION_DAYS } = config();
    const kept = { retentionDays: RETENTION_DAYS };
    return {
      domains: domainStore(table()),
      checks: checkStore(table()),
      history: historyStore(table(), kept),
      reports: dmarcReportStore(table(), kept),
      reportsDomain: REPORTS_DOMAIN,
      naming: naming(),
      clock,
    };
  },
  showOverview,
  consolePages,
);
