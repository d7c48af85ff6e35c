/** The addresses of the list of domains: its filter, order and page are in them. */
import type { DomainFilter } from '../../store/domains/select-rows.ts';

export const DOMAINS_PATH = '/console/domains';

/** The default order: the lowest score first. */
export const DEFAULT_ORDER = '-grade';

/** The query of a list, without what is the default. */
export function domainsQuery(filter: Partial<DomainFilter>, page = 1): URLSearchParams {
  const { sort } = filter;
  const all = {
    ...filter,
    sort: sort === DEFAULT_ORDER ? undefined : sort,
    page: page === 1 ? undefined : page,
  };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])));
}

/** The address of the list with a filter. */
export function domainsPath(filter: Partial<DomainFilter>, page = 1): string {
  const query = domainsQuery(filter, page);
  return query.size === 0 ? DOMAINS_PATH : `${DOMAINS_PATH}?${query}`;
}
