import { manyDomains } from '../../api/many-domains.ts';
import type { CallerOf, InputOf, Operation } from '../operation.ts';
import type { Done } from '../outcome.ts';
import { type DomainOutcome, type ManyDependencies, onEachDomain } from './each-domain.ts';
import {
  operation as single,
  type Verification,
  type VerifyDependencies,
  verifyDomain,
} from './verify-domain.ts';

export const operation = {
  name: 'verifyDomains',
  summary: 'Verify the ownership of up to 100 domains, each independently of the others',
  scope: 'write',
  input: manyDomains,
  refusals: ['invalid_request'],
  uses: single.uses,
} as const satisfies Operation;

/** Each costs a lookup. */
const PLACES = 10;

export const verifyDomains = (
  caller: CallerOf<typeof operation>,
  { ids }: InputOf<typeof operation>,
  deps: VerifyDependencies & ManyDependencies,
): Promise<Done<readonly DomainOutcome<Verification>[]>> =>
  onEachDomain(caller, ids, deps, (id) => verifyDomain(caller, { id }, deps), PLACES);
