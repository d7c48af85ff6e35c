import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { apiDependencies, checkAndSave } from './api-rules.ts';
import { routes } from './routes.ts';
import { ownerOf } from './rules.ts';

export const handler = endpoint(
  routes.checkAnyDomainWithToken,
  () => ({
    ...apiDependencies(),
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    summaries: summaryStore(table()),
    reportsDomain: config().REPORTS_DOMAIN,
  }),
  async ({ organization, clientAddress, body }, { domains, ...deps }) => {
    const findOwner = async (domain: string) => {
      const own = await domains.named(organization, domain);
      return own === undefined ? null : ownerOf(own, body.usageType, deps, deps.clock.now());
    };
    return reply(await checkAndSave({ body, clientAddress }, findOwner, deps));
  },
);
