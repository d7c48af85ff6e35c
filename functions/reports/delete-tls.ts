import { deleteReport } from '../../shared/operations/reports/delete-report.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.deleteTlsReport,
  () => ({
    domains: domainStore(table()),
    reports: tlsReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    rollUps: queue('summaries'),
    clock,
  }),
  async ({ path, query, ...request }, deps) =>
    answer(await deleteReport(asCaller(request), { ...path, ...query }, deps)),
);
