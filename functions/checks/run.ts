import { showChecks } from '../../shared/api/show-checks.ts';
import { checkRunDependencies } from '../../shared/runtime/dependencies/check-run-dependencies.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { ownerOf } from '../../shared/store/domains/report-address.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { requireDomain } from '../domains/rules.ts';
import { routes } from './routes.ts';
import { checkNow } from './rules.ts';

export const handler = endpoint(
  routes.runChecks,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    limits: rateStore(table()),
    deps: checkRunDependencies(table()),
    inspector: inspector(),
    clock,
  }),
  async ({ organization, path }, { domains, ...checking }) => {
    const domain = await requireDomain(domains, organization, path.id);
    const { checkedAt, results } = await checkNow(domain, checking);
    return reply({
      checkedAt,
      results: showChecks(results, ownerOf(domain, checking.deps.settings.reportsDomain)),
    });
  },
);
