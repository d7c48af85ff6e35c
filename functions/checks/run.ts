import { showChecks } from '../../shared/api/show-checks.ts';
import { runChecks } from '../../shared/monitoring/run-checks.ts';
import { checkRunDependencies } from '../../shared/runtime/dependencies/check-run-dependencies.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { rateLimited } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { ownerOf } from '../../shared/store/domains/report-address.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';

/** The limit of the interface specification: 5 per minute and domain. */
const CHECK_RATE = { limit: 5, windowMilliseconds: 60_000 };

export const handler = endpoint(
  routes.runChecks,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    deps: checkRunDependencies(table()),
    inspector: inspector(),
    clock,
  }),
  async ({ organization, path }, { domains, rates, deps, inspector, clock }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const now = clock.now();
    // By name, so that removing and registering the domain again does not reset the limit.
    const decision = await rates.consumeExact('checks', `${organization}#${domain.domain}`, CHECK_RATE, now);
    if (!decision.allowed)
      throw rateLimited(
        decision.retryAfterMilliseconds,
        'A domain can be checked at most 5 times per minute.',
      );
    const { checkedAt, results } = await runChecks(domain, deps, { inspector, now });
    return reply({ checkedAt, results: showChecks(results, ownerOf(domain, deps.settings.reportsDomain)) });
  },
);
