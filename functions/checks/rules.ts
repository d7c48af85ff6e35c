/** Rules that several check endpoints share. */
import type { Inspector } from '../../shared/checks/inspect.ts';
import { PREVIEW_LIMITS, type RunLimits } from '../../shared/checks/limit-network.ts';
import { type Preview, previewChecks } from '../../shared/checks/preview/preview.ts';
import type { ReadSets } from '../../shared/checks/preview/proposal.ts';
import { type CheckRunDependencies, loadBefore, runChecks } from '../../shared/monitoring/run-checks.ts';
import { rateLimited } from '../../shared/runtime/http/errors.ts';
import { limitInspector } from '../../shared/runtime/limits/contacts.ts';
import { countDomainRun } from '../../shared/runtime/limits/domain-runs.ts';
import type { LimitDependencies } from '../../shared/runtime/limits/limit-dependencies.ts';
import type { StoredChecks } from '../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import type { exactRateStore } from '../../shared/store/rates/exact-rates.ts';

/** The limit of the interface specification: 5 per minute and domain. */
const CHECK_RATE = { limit: 5, windowMilliseconds: 60_000 };

type Rates = Pick<ReturnType<typeof exactRateStore>, 'consumeExact'>;

export interface CheckNowDependencies extends LimitDependencies {
  readonly rates: Rates;
  readonly deps: CheckRunDependencies;
  readonly inspector: Inspector;
}

/** Runs all checks of `domain` at the request of its owner. @throws ServiceError `rate_limited`. */
export async function checkNow(
  domain: Domain,
  { deps, ...checking }: CheckNowDependencies,
): Promise<StoredChecks> {
  const now = checking.clock.now();
  const inspector = await countCheck(domain, checking, now);
  return (await runChecks(domain, deps, { inspector, now })).checks;
}

export interface PreviewDependencies extends Omit<CheckNowDependencies, 'deps'> {
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
  { stores, reportsDomain, ...checking }: PreviewDependencies,
): Promise<{ readonly checkedAt: string; readonly preview: Preview }> {
  const now = checking.clock.now();
  const inspector = await countCheck(domain, checking, now, PREVIEW_LIMITS);
  const sets = readSets();
  const { knownSelectors } = await loadBefore(domain, stores, now);
  const reportMailbox = reportAddress(domain, reportsDomain);
  const preview = await previewChecks({ ...domain, knownSelectors, reportMailbox }, sets, inspector);
  return { checkedAt: now.toISOString(), preview };
}

/**
 * Counts a check run of `domain`, stored or not. Returns what it may use: nobody proved that a domain is theirs that is not
 * verified, so the run has the limits of anonymous ones.
 * @throws ServiceError `rate_limited` beyond the limits.
 */
async function countCheck(
  { organization, domain, verified }: Domain,
  { rates, inspector, ...deps }: Omit<CheckNowDependencies, 'deps'>,
  now: Date,
  ofRun?: RunLimits,
): Promise<Inspector> {
  // By name, so that removing and registering the domain again does not reset the limit.
  const decision = await rates.consumeExact('checks', `${organization}#${domain}`, CHECK_RATE, now);
  if (!decision.allowed) {
    throw rateLimited(decision.retryAfterMilliseconds, 'A domain can be checked at most 5 times per minute.');
  }
  if (verified) return inspector;
  await countDomainRun(domain, 'organization', deps);
  return limitInspector(inspector, deps, ofRun);
}
