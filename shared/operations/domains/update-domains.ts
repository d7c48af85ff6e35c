import { updateDomainBody } from '../../api/domains.ts';
import { manyDomainsChange } from '../../api/many-domains.ts';
import { receivesMail } from '../../checks/state.ts';
import type { Domain, DomainStore } from '../../store/domains/domains.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { type Done, Refused, readInput } from '../outcome.ts';
import { type DomainOutcome, type ManyDependencies, onEachDomain } from './each-domain.ts';
import { onDomain, versionOf } from './on-domain.ts';
import { operation as single, updateDomain } from './update-domain.ts';

export const operation = {
  name: 'updateDomains',
  summary: 'Change tags and usage type of up to 100 domains, each independently of the others',
  scope: 'write',
  input: manyDomainsChange,
  refusals: ['invalid_request'],
  uses: single.uses,
} as const satisfies Operation;

const PLACES = 10;

/** What a domain that begins to receive mail is checked with, as when it is added. */
const DEFAULT_MAILBOX = 'postmaster';

interface UpdateDependencies extends ManyDependencies {
  readonly domains: Pick<DomainStore, 'get' | 'change'>;
  readonly clock: Parameters<typeof updateDomain>[2]['clock'];
}

export const updateDomains = (
  caller: CallerOf<typeof operation>,
  { ids, ...change }: InputOf<typeof operation>,
  deps: UpdateDependencies,
): Promise<Done<readonly DomainOutcome<Domain>[]>> =>
  onEachDomain(caller, ids, deps, (id) => updateOne(caller, id, change, deps), PLACES);

/** Refused if the domain changed since its tags were read. */
const updateOne = (
  caller: CallerOf<typeof operation>,
  id: string,
  { addTag, removeTag, usageType }: Omit<InputOf<typeof operation>, 'ids'>,
  deps: UpdateDependencies,
) =>
  onDomain(caller, id, deps, async (before): Promise<OutcomeOf<typeof single, Domain>> => {
    const kept = before.tags.filter((tag) => tag !== removeTag);
    const mailbox = before.testEmailLocalPart ?? DEFAULT_MAILBOX;
    const input = readInput(updateDomainBody, {
      tags: addTag === undefined ? kept : [...kept, addTag],
      ...(usageType !== undefined && { usageType }),
      ...(usageType !== undefined && receivesMail(usageType) && { testEmailLocalPart: mailbox }),
    });
    if (input instanceof Refused) return input;
    const isCurrent = (version: string) => version === versionOf(before);
    return updateDomain({ ...caller, isCurrent }, { id, ...input }, deps);
  });
