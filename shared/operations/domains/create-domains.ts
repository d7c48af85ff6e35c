import { createDomainBody, createDomainsBody } from '../../api/domains.ts';
import type { Domain } from '../../store/domains/domains.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { type Done, Refused, readInput } from '../outcome.ts';
import { createDomain, type RegistrationDependencies, operation as single } from './create-domain.ts';

export const operation = {
  name: 'createDomains',
  summary: 'Register up to 100 domains, each independently of the others',
  description: 'An invalid domain does not keep the others from being registered.',
  scope: 'write',
  input: createDomainsBody,
  refusals: ['invalid_request'],
  uses: single.uses,
} as const satisfies Operation;

/**
 * Registers domains one after another, and returns what became of each, in order: the first of two equal names wins, and
 * all of them change the count of the organization.
 */
export async function createDomains(
  caller: CallerOf<typeof operation>,
  { domains: given }: InputOf<typeof operation>,
  deps: RegistrationDependencies,
): Promise<Done<readonly (Domain | Refused)[]>> {
  const outcomes: OutcomeOf<typeof single, Domain>[] = [];
  for (const one of given) {
    const input = readInput(createDomainBody, one);
    outcomes.push(input instanceof Refused ? input : await createDomain(caller, input, deps));
  }
  return {
    value: outcomes.map((outcome) => (outcome instanceof Refused ? outcome : outcome.value)),
    subjects: outcomes.flatMap((outcome) => (outcome instanceof Refused ? [] : (outcome.subjects ?? []))),
  };
}
