import { domainPath } from '../../api/common.ts';
import { freshFor } from '../../checks/fresh-lookups.ts';
import type { CheckContext } from '../../checks/inspect.ts';
import { type CheckRunDependencies, performCheckRun } from '../../monitoring/run-checks.ts';
import type { StoredChecks } from '../../store/check-runs/checks.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { type DomainDependencies, onDomain, subjectOf } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { type CountDependencies, countCheckRun } from './count-check-run.ts';

export const operation = {
  name: 'runChecks',
  summary: 'Run all checks of a domain now',
  description:
    'Limited to five requests per minute and domain. Looks up the names of the domain anew, so that records that were published a moment ago are seen. Stores the results, and raises alerts about changes.',
  scope: 'write',
  on: domainPath,
  refusals: ['invalid_request', 'not_found', 'rate_limited'],
  uses: [
    'organizations:write',
    'domain-data:write',
    'directory:write',
    'tested-selectors:read',
    'published-keys:list',
    'rate-limits:write',
    'queue:checks',
    'dns',
    'probes',
  ],
} as const satisfies Operation;

export interface RunDependencies extends CountDependencies, DomainDependencies {
  readonly run: CheckRunDependencies;
  readonly checkContext: CheckContext;
}

interface DomainChecks {
  /** As it was before. */
  readonly domain: Domain;
  readonly checks: StoredChecks;
}

export const runChecks = (
  caller: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { domains, run, ...checking }: RunDependencies,
): Promise<OutcomeOf<typeof operation, DomainChecks>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const now = checking.clock.now();
    const allowed = await countCheckRun(domain, checking, now);
    if (allowed instanceof Refused) return allowed;
    const checkContext = { ...allowed, network: freshFor(allowed.network, domain.domain) };
    const { checks } = await performCheckRun(domain, run, { checkContext, now });
    return { value: { domain, checks }, subjects: [subjectOf(domain)] };
  });
