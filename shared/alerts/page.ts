/** The pages of the console to which alerts, attention items and notifications lead. */
import { type Alert, typeOf } from './alert.ts';

/** The page about a domain, or one of those beside it. */
export const domainPage = (id: string, page = ''): string =>
  page === '' ? `/console/domains/${id}` : `/console/domains/${id}/${page}`;

/** The page that shows what an alert is about: the reports, or what to fix. */
export function pageOfAlert(alert: Pick<Alert, 'domainId' | 'type' | 'metadata'>) {
  const page = typeOf(alert).page?.(alert.metadata);
  const path = domainPage(alert.domainId, page);
  return page === undefined
    ? ({ path: `${path}#fix`, name: 'Fix' } as const)
    : ({ path, name: 'Reports' } as const);
}
