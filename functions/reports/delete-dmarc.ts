import { missing } from '../../shared/api/common.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { routes } from './routes.ts';
import { searched } from './rules.ts';

export const handler = endpoint(
  routes.deleteDmarcReport,
  () => ({
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    summaries: queue('summaries'),
    clock,
  }),
  async ({ organization, path, query }, { domains, reports, summaries, clock }) => {
    const { id, domain } = await requireDomain(domains, organization, path.id);
    const reference = { id, organization, domain };
    const wanted = { id: path.reportId, window: windowOf(query) };
    const { isRemoved, rollUp } = searched(await reports.remove(reference, wanted, clock.now()));
    if (!isRemoved) throw new ServiceError('not_found', missing.report);
    if (rollUp !== null) await summaries.send({ domain: reference, ...rollUp });
    return { ...reply({ deleted: true as const }), subjects: [{ id: path.reportId, name: domain }] };
  },
);
