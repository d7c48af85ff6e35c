import { deleteReport } from '../../shared/operations/reports/delete-report.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.deleteDmarcReport,
  () => ({
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), retention()),
    rollUps: queue('summaries'),
    clock,
  }),
  deleteReport,
);
