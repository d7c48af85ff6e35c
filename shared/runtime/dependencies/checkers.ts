/** What the public checkers need. */
import type { CheckDependencies } from '../../operations/domain-checker/check-any-domain.ts';
import type { SaveDependencies } from '../../operations/domain-checker/save-domain-check.ts';
import { domainCheckShareStore, domainCheckStore } from '../../store/domain-checks.ts';
import { exactRateStore } from '../../store/rates/exact-rates.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { config } from '../config/config.ts';
import { checkContext } from './check-context.ts';
import { clock, table } from './services.ts';

/** What checking a domain without a token needs. */
export const publicCheckDependencies = (): CheckDependencies => ({
  isOff: config().PUBLIC_CHECKS === 'off',
  checks: domainCheckStore(table()),
  rates: exactRateStore(table()),
  limits: rateStore(table()),
  checkContext: checkContext(),
  clock,
});

export const savedCheckDependencies = (): SaveDependencies & { readonly hostUrl: string } => ({
  ...publicCheckDependencies(),
  shares: domainCheckShareStore(table()),
  hostUrl: config().HOST_URL,
});
