import { deleteReport } from '../../shared/operations/reports/delete-report.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.deleteTlsReport,
  () => ({
    domains: domainStore(table()),
    reports: tlsReportStore(table(), retention()),
    rollUps: queue('summaries'),
    clock,
  }),
  deleteReport,
);
