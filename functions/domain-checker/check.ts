import { config } from '../../shared/runtime/config/config.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainCheckShareStore, domainCheckStore } from '../../shared/store/domain-checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { routes } from './routes.ts';
import { checkNow, ownerOf, readDomain, save, showCheck, showShare } from './rules.ts';

export const handler = endpoint(
  routes.checkAnyDomain,
  () => ({
    domains: domainStore(table()),
    reports: dmarcReportStore(table(), { retentionDays: config().RETENTION_DAYS }),
    reportsDomain: config().REPORTS_DOMAIN,
    hostUrl: config().HOST_URL,
    shares: domainCheckShareStore(table()),
    checks: domainCheckStore(table()),
    rates: exactRateStore(table()),
    inspector: inspector(),
    clock,
  }),
  async ({ organization, body: { usageType, ...body } }, { domains, hostUrl, ...deps }) => {
    const domain = readDomain(body.domain, 'body.domain');
    const own = organization === '' ? undefined : await domains.named(organization, domain);
    const owner = own === undefined ? null : await ownerOf(own, usageType, deps, deps.clock.now());
    const checked = await checkNow(domain, owner, deps);
    const shareId = body.save ? await save(checked, usageType, owner, deps) : null;
    return reply({ ...(await showCheck(checked, usageType, owner)), ...showShare(shareId, hostUrl) });
  },
);
