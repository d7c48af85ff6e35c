import { noSuchDomain } from '../../operations/domains/on-domain.ts';
import type { Domain, DomainStore } from '../../store/domains/domains.ts';
import { refusal } from './errors.ts';

/** The domain of the organization with this id, for reads. @throws ServiceError `not_found`. */
export async function requireDomain(
  domains: Pick<DomainStore, 'get'>,
  organization: string,
  id: string,
): Promise<Domain> {
  const domain = await domains.get(organization, id);
  if (domain === undefined) throw refusal(noSuchDomain());
  return domain;
}
