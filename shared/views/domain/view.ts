/** What the pages about a domain show besides its overview. */
import type { DomainViewQuery, domainViews } from '../../api/console-domain.ts';
import type { Clock } from '../../network/ports.ts';
import { Refused } from '../../operations/outcome.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { type ComplianceDependencies, type ComplianceView, complianceView } from '../compliance.ts';
import { type DmarcView, type DmarcViewDependencies, dmarcOf } from './dmarc.ts';
import { type EnforcementView, type EnforcementViewDependencies, enforcementOf } from './enforcement.ts';
import { type HistoryView, historyOf } from './history.ts';
import { type ReportDependencies, type ReportView, reportOf } from './report.ts';
import { type SubdomainsDependencies, type SubdomainsView, subdomainsView } from './subdomains.ts';
import { type TlsView, type TlsViewDependencies, tlsOf } from './tls.ts';

export type DomainView =
  | ({ readonly name: 'history' } & HistoryView)
  | ({ readonly name: 'dmarc' } & DmarcView)
  | ({ readonly name: 'report' } & ReportView)
  | ({ readonly name: 'subdomains' } & SubdomainsView)
  | ({ readonly name: 'enforcement' } & EnforcementView)
  | ({ readonly name: 'tls' } & TlsView)
  | ({ readonly name: 'compliance' } & ComplianceView);

type DomainViewDependencies = DmarcViewDependencies &
  EnforcementViewDependencies &
  SubdomainsDependencies &
  ReportDependencies &
  ComplianceDependencies &
  TlsViewDependencies & { readonly clock: Clock };

/** A view of a domain; refused if the window of the query is not valid. */
export async function domainView(
  domain: Domain,
  name: (typeof domainViews)[number],
  query: DomainViewQuery,
  deps: DomainViewDependencies,
): Promise<DomainView | Refused> {
  const now = deps.clock.now();
  switch (name) {
    case 'history':
      return { name, ...(await historyOf(domain, query, deps, now)) };
    case 'report':
      return { name, ...(await reportOf(domain, deps, now)) };
    case 'enforcement':
      return { name, ...(await enforcementOf(domain, query, deps)) };
    case 'compliance':
      return named(name, await complianceView(domain, query.profile, deps));
    case 'dmarc':
      return named(name, await dmarcOf(domain, query, deps, now));
    case 'subdomains':
      return named(name, await subdomainsView(domain, query, deps, now));
    case 'tls':
      return named(name, await tlsOf(domain, query, deps, now));
  }
}

const named = <Name extends string, View extends object>(name: Name, view: View | Refused) =>
  view instanceof Refused ? view : { name, ...view };
