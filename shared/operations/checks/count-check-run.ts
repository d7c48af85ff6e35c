/** How often a domain can be checked at the request of its owner. */
import type { CheckContext } from '../../checks/inspect.ts';
import type { RunLimits } from '../../checks/limit-network.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { exactRateStore } from '../../store/rates/exact-rates.ts';
import { limitCheckContext } from '../limits/contacts.ts';
import { countDomainRun } from '../limits/domain-runs.ts';
import type { LimitDependencies } from '../limits/limit-dependencies.ts';
import { type Refused, tooOften } from '../outcome.ts';

/** The limit of the interface specification: 5 per minute and domain. */
const CHECK_RATE = { limit: 5, windowMilliseconds: 60_000 };

export interface CountDependencies extends LimitDependencies {
  readonly rates: Pick<ReturnType<typeof exactRateStore>, 'consumeExact'>;
  readonly checkContext: CheckContext;
}

/**
 * Counts a check run of `domain`, stored or not. Returns what it may use: nobody proved that a domain is theirs that is not
 * verified, so the run has the limits of anonymous ones.
 */
export async function countCheckRun(
  { organization, domain, verified }: Domain,
  { rates, checkContext, ...deps }: CountDependencies,
  now: Date,
  ofRun?: RunLimits,
): Promise<CheckContext | Refused<'rate_limited'>> {
  // By name, so that removing and registering the domain again does not reset the limit.
  const decision = await rates.consumeExact('checks', `${organization}#${domain}`, CHECK_RATE, now);
  if (!decision.allowed)
    return tooOften(decision.retryAfterMilliseconds, 'A domain can be checked at most 5 times per minute.');
  if (verified) return checkContext;
  return (await countDomainRun(domain, 'organization', deps)) ?? limitCheckContext(checkContext, deps, ofRun);
}
