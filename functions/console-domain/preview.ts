import { consolePages } from '../../shared/pages/console/layout.ts';
import { inspector } from '../../shared/runtime/dependencies/inspector.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { monitorStateReader } from '../../shared/store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { planDependencies } from '../fixes/rules.ts';
import { routes } from './routes.ts';
import { previewFix } from './rules.ts';

export const handler = endpoint(
  routes.previewFix,
  () => ({
    ...planDependencies(),
    domains: domainStore(table()),
    rates: exactRateStore(table()),
    limits: rateStore(table()),
    stores: {
      checks: checkStore(table()),
      selectors: seenSelectorStore(table()),
      monitorStates: monitorStateReader(table()),
    },
    inspector: inspector(),
    clock,
  }),
  previewFix,
  consolePages,
);
