import { consolePages } from '../../shared/pages/console/layout.ts';
import { checkRunDependencies } from '../../shared/runtime/dependencies/check-run-dependencies.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { routes } from './routes.ts';
import { checkDomain } from './rules.ts';

export const handler = endpoint(
  routes.checkDomainNow,
  () => ({
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    limits: rateStore(table()),
    deps: checkRunDependencies(table()),
    inspector: inspector(),
    clock,
  }),
  checkDomain,
  consolePages,
);
