/** The addresses of the pages with alerts and with what was sent about them. */
import type { AlertFilterView } from '../../views/alert-list.ts';

export const ALERTS_PATH = '/console/alerts';

export const DELIVERIES_PATH = '/console/deliveries';

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
