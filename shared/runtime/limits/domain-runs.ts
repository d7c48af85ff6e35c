/** How often domains are checked that nobody proved to be theirs, counted for all callers. */
import { organizationalDomain } from '../../protocol/domain-name.ts';
import { rateLimited } from '../http/errors.ts';
import type { LimitDependencies } from './limit-dependencies.ts';

const MINUTE_MILLISECONDS = 60_000;

/**
 * Check runs per minute of a registrable domain and all names below it, so that a wildcard does not multiply them. Names
 * below a suffix in the private section of the public suffix list, such as the customers of a hosting service, count as
 * domains of their own: they belong to different people, who must not use up each other's runs.
 *
 * Anonymous runs leave some for organizations that registered the domain but did not verify it yet.
 */
const DOMAIN_RUNS = { anonymous: 10, organization: 20 } as const;

/** Counts a check run of `domain`. @throws ServiceError `rate_limited`. */
export async function countDomainRun(
  domain: string,
  caller: keyof typeof DOMAIN_RUNS,
  { limits, clock }: LimitDependencies,
): Promise<void> {
  const registrable = organizationalDomain(domain);
  const rate = { limit: DOMAIN_RUNS[caller], windowMilliseconds: MINUTE_MILLISECONDS };
  const decision = await limits.consume('domain-runs', registrable, rate, clock.now());
  if (decision.allowed) return;
  throw rateLimited(
    decision.retryAfterMilliseconds,
    `${registrable} and the names below it can be checked at most ${rate.limit} times per minute until they are verified.`,
  );
}
