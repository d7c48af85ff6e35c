/** What operations that run the checks of a domain need. */
import type { PreviewDependencies } from '../../operations/checks/preview-checks.ts';
import type { RunDependencies } from '../../operations/checks/run-checks.ts';
import { checkStore } from '../../store/check-runs/checks.ts';
import { monitorStateReader } from '../../store/check-runs/monitor-states.ts';
import { seenSelectorStore } from '../../store/check-runs/seen-selectors.ts';
import { sharedKeyStore } from '../../store/check-runs/shared-keys.ts';
import { domainStore } from '../../store/domains/domains.ts';
import { exactRateStore } from '../../store/rates/exact-rates.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { summaryStore } from '../../store/reports/summaries.ts';
import { config } from '../config/config.ts';
import { checkContext } from './check-context.ts';
import { checkRunDependencies } from './check-run-dependencies.ts';
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
  stores: {
    checks: checkStore(table()),
    selectors: seenSelectorStore(table()),
    sharedKeys: sharedKeyStore(table()),
    summaries: summaryStore(table()),
    monitorStates: monitorStateReader(table()),
  },
  reportsDomain: config().REPORTS_DOMAIN,
});
