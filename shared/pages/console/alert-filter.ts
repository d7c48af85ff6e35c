/** The addresses of the page with alerts. */
import type { AlertFilterView } from '../../views/alert-list.ts';

export const ALERTS_PATH = '/console/alerts';

/** The list of deliveries on the page. */
export const DELIVERIES_PATH = `${ALERTS_PATH}#deliveries`;

/** The address of the page with a filter. */
export function alertsPath({ severity, domain, unread, each = false }: AlertFilterView, page = 1): string {
  const query = new URLSearchParams({
    ...(severity !== undefined && { severity }),
    ...(domain !== undefined && { domain }),
    ...(unread && { unread: 'true' }),
    ...(each && { each: 'true' }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size === 0 ? ALERTS_PATH : `${ALERTS_PATH}?${query}`;
}
