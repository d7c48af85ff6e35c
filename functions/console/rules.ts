/** The list of domains that two handlers show. */

import type { Clock } from '../../shared/network/ports.ts';
import { type DomainsView, domainsPage } from '../../shared/pages/console/domains.ts';
import { covers, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { DirectoryStore } from '../../shared/store/domains/directory.ts';

const DOMAINS_PER_PAGE = 50;

/** The domains of the organization, those without a grade first, then the worst grade first. */
export async function showDomains(
  { organization, token, formToken, query: { page, q } }: DomainsRequest,
  { directory, clock }: { readonly directory: DirectoryStore; readonly clock: Clock },
  refused?: DomainsView['refused'],
): Promise<string> {
  const filter = { sort: '-grade', q: q === '' ? undefined : q } as const;
  const range = { page, limit: DOMAINS_PER_PAGE };
  const { domains, hasMore } = await directory.search(organization, filter, range, clock.now());
  const canWrite = covers(token.scope, 'write');
  return domainsPage({ domains, hasMore, page, q, canWrite, formToken, refused });
}

export interface DomainsRequest {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly formToken: string;
  readonly query: { readonly page: number; readonly q: string };
}
