import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { routes } from './routes.ts';
import {
  assess,
  checkDependencies,
  checkNow,
  ownerOf,
  readDomain,
  requirePublicChecks,
  save,
  showCheck,
  showShare,
} from './rules.ts';

export const handler = endpoint(
  routes.checkAnyDomain,
  () => ({
    ...checkDependencies(),
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    reportsDomain: config().REPORTS_DOMAIN,
    hostUrl: config().HOST_URL,
    shares: domainCheckShareStore(table()),
  }),
  async ({ organization, clientAddress, body: { usageType, ...body } }, { domains, hostUrl, ...deps }) => {
    requirePublicChecks();
    const parsed = readDomain(body.domain);
    if (!parsed.ok) throw invalidRequest({ path: 'body.domain', message: parsed.problem });
    const domain = parsed.name;
    const own = organization === '' ? undefined : await domains.named(organization, domain);
    const owner = own === undefined ? null : await ownerOf(own, usageType, deps, deps.clock.now());
    const checked = await checkNow(domain, owner, deps);
    const shareId = body.save ? await save(checked, usageType, owner, clientAddress, deps) : null;
    return reply({
      ...showCheck(await assess({ ...checked, usageType }, owner), owner),
      ...showShare(shareId, hostUrl),
    });
  },
);
