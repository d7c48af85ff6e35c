/** Rules that several check endpoints share. */
import type { Inspector } from '../../shared/checks/inspect.ts';
import { type Preview, previewChecks } from '../../shared/checks/preview/preview.ts';
import type { ReadSets } from '../../shared/checks/preview/proposal.ts';
import { type CheckRunDependencies, loadBefore, runChecks } from '../../shared/monitoring/run-checks.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { rateLimited } from '../../shared/runtime/http/errors.ts';
import type { StoredChecks } from '../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import type { exactRateStore } from '../../shared/store/rates/exact-rates.ts';

/** The limit of the interface specification: 5 per minute and domain. */
const CHECK_RATE = { limit: 5, windowMilliseconds: 60_000 };

type Rates = Pick<ReturnType<typeof exactRateStore>, 'consumeExact'>;

export interface CheckNowDependencies {
  readonly rates: Rates;
  readonly deps: CheckRunDependencies;
  readonly inspector: Inspector;
  readonly clock: Clock;
}

/** Runs all checks of `domain` at the request of its owner. @throws ServiceError `rate_limited`. */
export async function checkNow(
  domain: Domain,
  { rates, deps, inspector, clock }: CheckNowDependencies,
): Promise<StoredChecks> {
  const now = clock.now();
  await countCheck(domain, rates, now);
  return runChecks(domain, deps, { inspector, now });
}

export interface PreviewDependencies extends Pick<CheckNowDependencies, 'rates' | 'inspector' | 'clock'> {
  readonly stores: Parameters<typeof loadBefore>[1];
  readonly reportsDomain: string;
}

/**
 * Runs all checks of `domain` as it is and with the record sets that `readSets` returns, and stores nothing. It counts as a
 * check run before anything of the proposal is read.
 * @throws ServiceError `rate_limited`, and what `readSets` throws.
 */
export async function previewNow(
  domain: Domain,
  readSets: () => Extract<ReadSets, { ok: true }>['sets'],
  { rates, inspector, clock, stores, reportsDomain }: PreviewDependencies,
): Promise<{ readonly checkedAt: string; readonly preview: Preview }> {
  const now = clock.now();
  await countCheck(domain, rates, now);
  const sets = readSets();
  const { knownSelectors } = await loadBefore(domain, stores, now);
  const reportMailbox = reportAddress(domain, reportsDomain);
  const preview = await previewChecks({ ...domain, knownSelectors, reportMailbox }, sets, inspector);
  return { checkedAt: now.toISOString(), preview };
}

/**
 * Counts a check run of `domain`, stored or not.
 * @throws ServiceError `rate_limited` beyond the limit.
 */
async function countCheck({ organization, domain }: Domain, rates: Rates, now: Date): Promise<void> {
  // By name, so that removing and registering the domain again does not reset the limit.
  const decision = await rates.consumeExact('checks', `${organization}#${domain}`, CHECK_RATE, now);
  if (!decision.allowed) {
    throw rateLimited(decision.retryAfterMilliseconds, 'A domain can be checked at most 5 times per minute.');
  }
}
