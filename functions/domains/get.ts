import { showDomain, showOwnership } from '../../shared/api/domains.ts';
import { showChecks } from '../../shared/api/show-checks.ts';
import { versionOf } from '../../shared/operations/domains/on-domain.ts';
import { naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getDomain,
  () => ({ domains: domainStore(table()), checks: checkStore(table()), naming: naming() }),
  async ({ organization, path }, { domains, checks, naming }) => {
    const [domain, latest] = await Promise.all([
      requireDomain(domains, organization, path.id),
      checks.latest(path.id),
    ]);
    const shown = reply({
      ...showDomain(domain, naming),
      verificationToken: domain.verificationToken,
      ownership: showOwnership(domain),
      checks:
        latest === undefined
          ? null
          : showChecks(latest.results, findingAudienceOf(domain, naming.reportsDomain)),
    });
    return { ...shown, version: versionOf(domain) };
  },
);
