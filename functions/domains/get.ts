import { showDomain, showOwnership } from '../../shared/api/domains.ts';
import { showChecks } from '../../shared/api/show-checks.ts';
import { versionOf } from '../../shared/operations/domains/on-domain.ts';
import { standingAt } from '../../shared/operations/evidence/standing.ts';
import { pastEvidence } from '../../shared/runtime/dependencies/past-evidence.ts';
import { clock, naming, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { findingAudienceOf } from '../../shared/store/domains/report-address.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getDomain,
  () => ({
    domains: domainStore(table()),
    checks: checkStore(table()),
    evidence: pastEvidence(),
    naming: naming(),
    clock,
  }),
  async ({ organization, path, query }, { domains, checks, evidence, naming, clock }) => {
    const [domain, latest] = await Promise.all([
      requireDomain(domains, organization, path.id),
      checks.latest(path.id),
    ]);
    const then =
      query.at === undefined
        ? undefined
        : accepted(await standingAt(path.id, query.at, evidence, clock.now()));
    const results = then === undefined ? latest?.results : then.content.results;
    const shown = reply({
      ...showDomain(domain, naming),
      verificationToken: domain.verificationToken,
      ownership: showOwnership(domain),
      checks:
        results === undefined ? null : showChecks(results, findingAudienceOf(domain, naming.reportsDomain)),
      ...(then && { checksAt: then.at }),
    });
    return { ...shown, version: versionOf(domain) };
  },
);
