import { showTimeline, timelineCsv } from '../../shared/api/report-sources.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getDmarcTimeline,
  () => ({
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    clock,
  }),
  async ({ organization, path, query, accepts }, { domains, reports, clock }) => {
    await requireDomain(domains, organization, path.id);
    const now = clock.now();
    const days = accepted(daysOf(query, now), 'query');
    const timeline = showTimeline(days, await reports.timeline(path.id, days, now));
    return accepts.format !== undefined
      ? csvReply(timelineCsv(timeline), 'dmarc-timeline.csv')
      : reply(timeline);
  },
);
