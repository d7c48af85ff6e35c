/** What the operations on a domain have in common. */
import { missing } from '../../api/common.ts';
import type { Domain, DomainStore } from '../../store/domains/domains.ts';
import type { Caller } from '../operation.ts';
import { Refused, type Subject } from '../outcome.ts';
import { versionAt } from '../version.ts';

export interface DomainDependencies {
  readonly domains: Pick<DomainStore, 'get'>;
}

/** Does something with a domain of the organization of the caller; refused if there is none with this ID. */
export async function onDomain<Result>(
  { organization }: Pick<Caller, 'organization'>,
  id: string,
  { domains }: DomainDependencies,
  perform: (domain: Domain) => Result | Promise<Result>,
): Promise<Result | Refused<'not_found'>> {
  const domain = await domains.get(organization, id);
  return domain === undefined ? noSuchDomain() : perform(domain);
}

export const noSuchDomain = (): Refused<'not_found'> => new Refused('not_found', missing.domain);

/** A domain in the audit log. */
export const subjectOf = ({ id, domain }: Pick<Domain, 'id' | 'domain'>): Subject => ({ id, name: domain });

/** The version of a domain, which every change of it by its owner replaces. */
export const versionOf = ({ updatedAt }: Pick<Domain, 'updatedAt'>): string => versionAt(updatedAt);
