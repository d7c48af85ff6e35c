import { type FixFormat, writeFixes } from '../../shared/fixes/formats.ts';
import { emptyPlan, planFixes } from '../../shared/fixes/plan.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { type Reply, reply } from '../../shared/runtime/http/reply.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';

/** Seasonal mail is sent once a year. */
const REPORT_DAYS = 366;
const DAY_MILLISECONDS = 86_400_000;

export const handler = endpoint(
  routes.getFixes,
  () => ({
    domains: domainStore(table()),
    checks: checkStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    reportsDomain: config().REPORTS_DOMAIN,
    clock,
  }),
  async ({ organization, path, query }, { domains, checks, reports, reportsDomain, clock }) => {
    const now = clock.now();
    const [domain, latest, days] = await Promise.all([
      requireDomain(domains, organization, path.id),
      checks.latestWithLookups(path.id),
      reports.timeline(path.id, lastDays(now), now),
    ]);
    const plan =
      latest === undefined
        ? emptyPlan
        : await planFixes({
            domain: domain.domain,
            usageType: domain.usageType,
            mailbox: reportAddress(domain, reportsDomain),
            authenticatedMail: days.some(({ passed }) => passed > 0),
            results: latest.results,
            lookups: latest.lookups ?? [],
          });
    return query.format === undefined ? reply(plan) : fileReply(query.format, writeFixes(plan, query.format));
  },
);

function lastDays(now: Date) {
  const from = new Date(now.getTime() - REPORT_DAYS * DAY_MILLISECONDS);
  return { from: from.toISOString().slice(0, 10), to: now.toISOString().slice(0, 10) };
}

const contentTypes: Readonly<Record<FixFormat, string>> = {
  zone: 'text/dns; charset=utf-8',
  route53: 'application/json; charset=utf-8',
  terraform: 'text/plain; charset=utf-8',
};

/** The bare text, without the envelope of the API. */
function fileReply(format: FixFormat, body: string): Reply<never> {
  return { data: undefined as never, text: { contentType: contentTypes[format], body: [body] } };
}
