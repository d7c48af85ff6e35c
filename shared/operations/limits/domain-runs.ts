/** How often domains are checked that nobody proved to be theirs, counted for all callers. */
import { organizationalDomain } from '../../protocol/domain-name.ts';
import { type Refused, tooOften } from '../outcome.ts';
import type { LimitDependencies } from './limit-dependencies.ts';

const MINUTE_MILLISECONDS = 60_000;

/**
 * Runs per minute of a registrable domain and all names below it, so that a wildcard does not multiply them. Names below a
 * suffix in the private section of the public suffix list, such as the customers of a hosting service, count as domains
 * of their own: they belong to different people, who must not use up each other's runs.
 */
const DOMAIN_RUNS = {
  /** All checks of a domain, for anyone. */
  anonymous: { what: 'domain-runs', limit: 10 },
  /** The same for an organization that registered the domain. Anonymous runs leave some of them. */
  organization: { what: 'domain-runs', limit: 20 },
  /** Checks of SPF records, which only look up names. Somebody who edits a record repeats them often. */
  spf: { what: 'spf-runs', limit: 60 },
} as const;

/** Counts a run of `kind` for `domain`; undefined if it is allowed. */
export async function countDomainRun(
  domain: string,
  kind: keyof typeof DOMAIN_RUNS,
  { limits, clock }: LimitDependencies,
): Promise<Refused<'rate_limited'> | undefined> {
  const registrable = organizationalDomain(domain);
  const { what, limit } = DOMAIN_RUNS[kind];
  const rate = { limit, windowMilliseconds: MINUTE_MILLISECONDS };
  const decision = await limits.consume(what, registrable, rate, clock.now());
  if (decision.allowed) return undefined;
  return tooOften(
    decision.retryAfterMilliseconds,
    `${registrable} and the names below it can be checked at most ${limit} times per minute.`,
  );
}
