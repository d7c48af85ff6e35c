/** The pages about a domain as whole documents, for a visitor. */
import type { Naming } from '../../../api/domains.ts';
import type { Domain } from '../../../store/domains/domains.ts';
import type { OverviewView } from '../../../views/domain/overview.ts';
import type { StandingView } from '../../../views/domain/standing.ts';
import type { DomainView } from '../../../views/domain/view.ts';
import type { Markup } from '../../markup.ts';
import { CONSOLE_ROOM, consoleDocument, type Visitor } from '../layout.ts';
import { compliancePage } from './compliance.ts';
import { dmarcPage } from './dmarc.ts';
import { enforcementPage } from './enforcement.ts';
import { pages, type ShownDomain } from './frame.ts';
import { historyPage } from './history.ts';
import { overviewPage } from './overview.ts';
import { reportPage } from './report.ts';
import { domainSettingsPage } from './settings.ts';
import { standingPage } from './standing.ts';
import { subdomainsPage } from './subdomains.ts';
import { tlsPage } from './tls.ts';

/** @param page What the page shows, which tells the tabs of a browser apart. */
export function domainDocument(
  { id, domain }: Pick<Domain, 'id' | 'domain'>,
  { canWrite, formToken, flash }: Visitor,
  page: string,
  main: (shown: ShownDomain, room: number) => Markup,
): string {
  const shown = { id, domain, canWrite, formToken, flash };
  return consoleDocument({
    title: `${domain}: ${page}`,
    description: `The email security of ${domain}`,
    ...{ formToken, flash, current: '/console/domains' },
    main: main(shown, CONSOLE_ROOM),
  });
}

export const overviewDocument = (domain: Domain, visitor: Visitor, view: OverviewView): string =>
  domainDocument(domain, visitor, pages[''], (shown, room) => overviewPage(shown, view, room));

export const standingDocument = (domain: Domain, visitor: Visitor, view: StandingView): string =>
  domainDocument(domain, visitor, pages.history, (shown, room) => standingPage(shown, view, room));

export const domainSettingsDocument = (domain: Domain, visitor: Visitor, naming: Naming): string =>
  domainDocument(domain, visitor, pages.settings, (shown) => domainSettingsPage(shown, domain, naming));

export const viewDocument = (domain: Domain, visitor: Visitor, view: DomainView): string =>
  domainDocument(domain, visitor, pages[view.name], (shown, room) => {
    switch (view.name) {
      case 'history':
        return historyPage(shown, view, room);
      case 'dmarc':
        return dmarcPage(shown, view, room);
      case 'subdomains':
        return subdomainsPage(shown, view, room);
      case 'enforcement':
        return enforcementPage(shown, view, room);
      case 'report':
        return reportPage(shown, view);
      case 'tls':
        return tlsPage(shown, view, room);
      case 'compliance':
        return compliancePage(shown, view);
    }
  });
