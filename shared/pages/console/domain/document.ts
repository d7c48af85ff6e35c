/** The pages about a domain as whole documents, for a visitor. */
import { covers, type TokenInfo } from '../../../store/api-tokens.ts';
import type { Domain } from '../../../store/domains/domains.ts';
import type { OverviewView } from '../../../views/domain/overview.ts';
import type { DomainView } from '../../../views/domain/view.ts';
import type { Markup } from '../../markup.ts';
import { fitting } from '../../spf/extent.ts';
import { consoleDocument, MAX_CONSOLE_PAGE } from '../layout.ts';
import { dmarcPage } from './dmarc.ts';
import { enforcementPage } from './enforcement.ts';
import type { ShownDomain } from './frame.ts';
import { historyPage } from './history.ts';
import { overviewPage } from './overview.ts';
import { tlsPage } from './tls.ts';

export interface Visitor {
  readonly token: Pick<TokenInfo, 'scope'>;
  /** What the forms of the session contain. */
  readonly formToken: string;
}

/** A page about `domain` that fits its maximum size. */
export function domainDocument(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  { token, formToken }: Visitor,
  main: (shown: ShownDomain, most: number) => Markup,
): string {
  const shown = { id, domain, canWrite: covers(token.scope, 'write'), formToken };
  return fitting(
    (most) =>
      consoleDocument({
        title: domain,
        description: `The email security of ${domain}`,
        formToken,
        main: main(shown, most),
      }),
    MAX_CONSOLE_PAGE,
  );
}

export const overviewDocument = (domain: Domain, visitor: Visitor, view: OverviewView): string =>
  domainDocument(domain, visitor, (shown, most) => overviewPage(shown, view, most));

export const viewDocument = (domain: Domain, visitor: Visitor, view: DomainView): string =>
  domainDocument(domain, visitor, (shown, most) => {
    switch (view.name) {
      case 'history':
        return historyPage(shown, view, most);
      case 'dmarc':
        return dmarcPage(shown, view, most);
      case 'enforcement':
        return enforcementPage(shown, view, most);
      case 'tls':
        return tlsPage(shown, view, most);
    }
  });
