/** The same for many domains: each independently of the others, several at a time, as many as there is time for. */
import { semaphore } from '../../network/semaphore.ts';
import type { DomainStore } from '../../store/domains/domains.ts';
import type { Caller } from '../operation.ts';
import { type Done, type Outcome, Refused } from '../outcome.ts';
import { noSuchDomain } from './on-domain.ts';

export interface ManyDependencies {
  /** Whether there is time to begin with another domain. */
  readonly hasTime: () => boolean;
}

/** What became of a domain; undefined if there was no time for it. */
export interface DomainOutcome<Value> {
  readonly id: string;
  /** Its name; its ID if it is not known. */
  readonly domain: string;
  readonly outcome: Value | Refused | undefined;
}

/** Returns what became of each domain, in the order of the request. @param places How many at a time. */
export async function onEachDomain<Value>(
  { organization }: Pick<Caller, 'organization'>,
  ids: readonly string[],
  { domains, hasTime }: ManyDependencies & { readonly domains: Pick<DomainStore, 'get'> },
  perform: (id: string) => Promise<Outcome<Value>>,
  places: number,
): Promise<Done<readonly DomainOutcome<Value>[]>> {
  const run = semaphore(places);
  const each = await Promise.all(
    [...new Set(ids)].map((id) =>
      run(async () => {
        if (!hasTime()) return { id, domain: id, done: undefined };
        const domain = await domains.get(organization, id);
        if (domain === undefined) return { id, domain: id, done: noSuchDomain() };
        return { id, domain: domain.domain, done: await perform(id) };
      }),
    ),
  );
  return {
    value: each.map(({ id, domain, done }) => ({
      ...{ id, domain },
      outcome: done === undefined || done instanceof Refused ? done : done.value,
    })),
    subjects: each.flatMap(({ done }) =>
      done === undefined || done instanceof Refused ? [] : (done.subjects ?? []),
    ),
  };
}
