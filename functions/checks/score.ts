import { standingAt } from '../../shared/operations/evidence/standing.ts';
import { pastEvidence } from '../../shared/runtime/dependencies/past-evidence.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { accepted, reply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { computeScore, notChecked } from '../../shared/score/score.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getScore,
  () => ({ domains: domainStore(table()), checks: checkStore(table()), evidence: pastEvidence(), clock }),
  async ({ organization, path, query }, { domains, checks, evidence, clock }) => {
    if (query.at !== undefined) {
      await requireDomain(domains, organization, path.id);
      const { at, usageType, content } = accepted(await standingAt(path.id, query.at, evidence, clock.now()));
      return reply({ ...computeScore(content.results, usageType), lastCheckedAt: at });
    }
    const [domain, latest] = await Promise.all([
      requireDomain(domains, organization, path.id),
      checks.latest(path.id),
    ]);
    // Computed from the stored results and the current usage type, so a changed usage type takes effect immediately.
    return reply(
      latest === undefined
        ? {
            ...notChecked(domain.usageType),
            lastCheckedAt: null,
            message: `No checks have run yet. To run them, use POST ${routes.runChecks.path.replace('{id}', domain.id)}.`,
          }
        : { ...computeScore(latest.results, domain.usageType), lastCheckedAt: latest.checkedAt },
    );
  },
);
