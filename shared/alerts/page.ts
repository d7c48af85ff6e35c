/** The pages of the console to which alerts, attention items and notifications lead. */
import { type Alert, typeOf } from './alert.ts';

export const domainPage = (id: string): string => `/console/domains/${id}`;

/** The page that shows what an alert is about: the reports, or what to fix. */
export function pageOfAlert(alert: Pick<Alert, 'domainId' | 'type' | 'metadata'>) {
  const page = typeOf(alert).page?.(alert.metadata);
  const path = domainPage(alert.domainId);
  return page === undefined
    ? ({ path: `${path}#fix`, name: 'Fix' } as const)
    : ({ path: `${path}/${page}`, name: 'Reports' } as const);
}
