import { endpoint } from '../../shared/runtime/endpoint.ts';
import { reply } from '../../shared/runtime/reply.ts';
import { table } from '../../shared/runtime/services.ts';
import { computeScore, notChecked } from '../../shared/score/score.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { checkStore } from '../../shared/store/looks/checks.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getScore,
  () => ({ domains: domainStore(table()), checks: checkStore(table()) }),
  async ({ organization, path }, { domains, checks }) => {
    const [domain, latest] = await Promise.all([
      requireDomain(domains, organization, path.id),
      checks.latest(path.id),
    ]);
    // The score follows from the stored results and the usage as it is now, so a changed usage shows at once.
    return reply(
      latest === undefined
        ? {
            ...notChecked(domain.usageType),
            lastCheckedAt: null,
            message: `No checks have run yet. Run them with POST ${routes.runChecks.path.replace('{id}', domain.id)}.`,
          }
        : { ...computeScore(latest.results, domain.usageType), lastCheckedAt: latest.checkedAt },
    );
  },
);
