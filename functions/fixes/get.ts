import { type FixFormat, writeFixes } from '../../shared/fixes/formats.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { contentReply, reply } from '../../shared/runtime/http/reply.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';
import { planOf } from './rules.ts';

export const handler = endpoint(
  routes.getFixes,
  () => ({
    domains: domainStore(table()),
    checks: checkStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    reportsDomain: config().REPORTS_DOMAIN,
    clock,
  }),
  async ({ organization, path, query }, { domains, clock, ...deps }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const plan = await planOf(domain, deps, clock.now());
    return query.format === undefined
      ? reply(plan)
      : contentReply(contentTypes[query.format], writeFixes(plan, query.format));
  },
);

const contentTypes: Readonly<Record<FixFormat, string>> = {
  zone: 'text/dns; charset=utf-8',
  route53: 'application/json; charset=utf-8',
  terraform: 'text/plain; charset=utf-8',
};
