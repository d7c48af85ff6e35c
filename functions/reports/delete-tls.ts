import { missing } from '../../shared/api/common.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { tlsReportStore } from '../../shared/store/reports/tls-reports.ts';
import { routes } from './routes.ts';
import { searched } from './rules.ts';

export const handler = endpoint(
  routes.deleteTlsReport,
  () => ({
    domains: domainStore(table()),
    reports: tlsReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    clock,
  }),
  async ({ organization, path, query }, { domains, reports, clock }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const wanted = { id: path.reportId, window: windowOf(query) };
    const { isRemoved } = searched(await reports.remove(domain, wanted, clock.now()));
    if (!isRemoved) throw new ServiceError('not_found', missing.report);
    return { ...reply({ deleted: true as const }), subjects: [{ id: path.reportId, name: domain.domain }] };
  },
);
