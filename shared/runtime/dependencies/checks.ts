/** What operations that run the checks of a domain need. */
import type { PreviewDependencies } from '../../operations/checks/preview-checks.ts';
import type { RunDependencies } from '../../operations/checks/run-checks.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { exactRateStore } from '../../store/rates/exact-rates.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { config } from '../config/config.ts';
import { checkContext } from './check-context.ts';
import { checkRunDependencies } from './check-run-dependencies.ts';
import { previewStores } from './preview-stores.ts';
import { clock, table } from './services.ts';

const counted = () => ({
  domains: domainStore(table()),
  rates: exactRateStore(table()),
  limits: rateStore(table()),
  checkContext: checkContext(),
  clock,
});

export const runDependencies = (): RunDependencies => ({ ...counted(), run: checkRunDependencies(table()) });

export const previewDependencies = (): PreviewDependencies => ({
  ...counted(),
  stores: previewStores(table()),
  reportsDomain: config().REPORTS_DOMAIN,
});
