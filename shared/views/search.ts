/** What a search of an organization finds: its domains, and the services and networks that send as them. */
import type { OrganizationSource } from '../enforcement/organization-shapes.ts';
import { sumsOfOrganization } from '../enforcement/organization-sums.ts';
import type { Clock } from '../network/ports.ts';
import { mailDomainIn } from '../protocol/domain-name.ts';
import type { DirectoryStore } from '../store/domains/directory.ts';
import type { Domain, DomainStore } from '../store/domains/domains.ts';

export interface Found {
  /** What was searched for. */
  readonly text: string;
  /** The domain with exactly that name comes first. */
  readonly domains: readonly Domain[];
  readonly hasMoreDomains: boolean;
  /** Most messages first. */
  readonly senders: readonly OrganizationSource[];
  readonly hasMoreSenders: boolean;
}

/** A page of results is short: a filter of the lists shows all. */
const MOST = 10;

export interface SearchDependencies {
  readonly domains: Pick<DomainStore, 'named'>;
  readonly directory: Pick<DirectoryStore, 'search'>;
  readonly sums: Parameters<typeof sumsOfOrganization>[1];
  readonly clock: Clock;
}

/** Costs what a page of the lists costs. @param text Part of a name; also a pasted URL or mail address. */
export async function searchFor(
  organization: string,
  text: string,
  { domains, directory, sums, clock }: SearchDependencies,
): Promise<Found> {
  const name = mailDomainIn(text).toLowerCase();
  if (name === '') return { text, domains: [], hasMoreDomains: false, senders: [], hasMoreSenders: false };
  const [exact, listed, { sources }] = await Promise.all([
    domains.named(organization, name),
    directory.search(organization, { q: name, sort: 'domain' }, { page: 1, limit: MOST }),
    sumsOfOrganization(organization, sums, clock.now()),
  ]);
  const others = listed.domains.filter(({ id }) => id !== exact?.id);
  const found = exact === undefined ? others : [exact, ...others];
  const senders = sendersNamed(sources, name);
  return {
    text,
    domains: found.slice(0, MOST),
    hasMoreDomains: listed.hasMore || found.length > MOST,
    senders: senders.slice(0, MOST),
    hasMoreSenders: senders.length > MOST,
  };
}

/** Those with this part in their name. @param part In lower case. */
export const sendersNamed = (
  sources: readonly OrganizationSource[],
  part: string,
): readonly OrganizationSource[] => sources.filter(({ name }) => name.toLowerCase().includes(part));
