import { manyDomains } from '../../api/many-domains.ts';
import { type DomainOutcome, type ManyDependencies, onEachDomain } from '../domains/each-domain.ts';
import type { CallerOf, InputOf, Operation } from '../operation.ts';
import type { Done } from '../outcome.ts';
import { type RunDependencies, runChecks, operation as single } from './run-checks.ts';

export const operation = {
  name: 'checkDomains',
  summary: 'Run all checks of up to 100 domains now, each independently of the others',
  scope: 'write',
  input: manyDomains,
  refusals: ['invalid_request'],
  uses: single.uses,
} as const satisfies Operation;

/** A check run contacts the servers of a domain, which can be those of others, too. */
const PLACES = 8;

export const checkDomains = (
  caller: CallerOf<typeof operation>,
  { ids }: InputOf<typeof operation>,
  deps: RunDependencies & ManyDependencies,
): Promise<Done<readonly DomainOutcome<unknown>[]>> =>
  onEachDomain(caller, ids, deps, (id) => runChecks(caller, { id }, deps), PLACES);
