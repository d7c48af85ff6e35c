import { consolePages } from '../../shared/pages/console/layout.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { monitorStateReader } from '../../shared/store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { routes } from './routes.ts';
import { previewFix } from './rules.ts';

export const handler = endpoint(
  routes.previewFix,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    stores: {
      checks: checkStore(table()),
      selectors: seenSelectorStore(table()),
      monitorStates: monitorStateReader(table()),
    },
    reportsDomain: config().REPORTS_DOMAIN,
    inspector: inspector(),
    clock,
  }),
  previewFix,
  consolePages,
);
