import { showTimeline, timelineCsv } from '../../shared/api/report-sources.ts';
import { daysOf } from '../../shared/operations/reports/days.ts';
import { clock, retention, table } from '../../shared/runtime/dependencies/services.ts';
import { accepted, csvReply, reply } from '../../shared/runtime/http/reply.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { domainEndpoint } from '../domain-endpoint.ts';
import { routes } from './routes.ts';

export const handler = domainEndpoint(
  routes.getDmarcTimeline,
  () => ({
    reports: dmarcReportStore(table(), retention()),
    clock,
  }),
  async ({ id }, { query, accepts }, { reports, clock }) => {
    const now = clock.now();
    const days = accepted(daysOf(query, now), 'query');
    const timeline = showTimeline(days, await reports.timeline(id, days, now));
    return accepts.format !== undefined
      ? csvReply(timelineCsv(timeline), 'dmarc-timeline.csv')
      : reply(timeline);
  },
);
