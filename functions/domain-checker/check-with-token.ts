import { checkAnyDomain } from '../../shared/operations/domain-checker/check-any-domain.ts';
import { verifiedOwnerOf } from '../../shared/operations/domain-checker/owner.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { savedCheckDependencies } from '../../shared/runtime/dependencies/checkers.ts';
import { retention, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { checkReply } from './check-reply.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.checkAnyDomainWithToken,
  () => ({
    ...savedCheckDependencies(),
    isOff: false,
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), retention()),
    summaries: summaryStore(table()),
    reportsDomain: config().REPORTS_DOMAIN,
  }),
  async (request, { domains, ...deps }) => {
    const { organization, body } = request;
    const findOwner = async (name: string) => {
      const own = await domains.named(organization, name);
      return own === undefined ? null : verifiedOwnerOf(own, body.usageType, deps, deps.clock.now());
    };
    return checkReply(await checkAnyDomain(body, deps, findOwner), request, deps);
  },
);
