/** The page with alerts, from the stores. */
import type * as z from 'zod/mini';
import { groupOfOne } from '../../shared/alerts/cause.ts';
import type { alertListQuery } from '../../shared/api/console.ts';
import { showDelivery } from '../../shared/api/deliveries.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { alertsPage } from '../../shared/pages/console/alerts.ts';
import { MAX_CONSOLE_PAGE } from '../../shared/pages/console/layout.ts';
import { fitting } from '../../shared/pages/spf/extent.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import type { AlertStore } from '../../shared/store/alerts/alerts.ts';
import type { DeliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { covers, type TokenInfo } from '../../shared/store/api-tokens.ts';
import type { DomainStore } from '../../shared/store/domains/domains.ts';

const ALERTS_PER_PAGE = 20;
const DELIVERIES = { page: 1, limit: 10 };

interface AlertsRequest {
  readonly organization: string;
  readonly token: TokenInfo;
  readonly formToken: string;
  readonly query: z.output<typeof alertListQuery>;
}

interface AlertListDependencies {
  readonly domains: DomainStore;
  readonly alerts: Pick<AlertStore, 'list' | 'listCauses'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly clock: Clock;
}

/** The alerts that match a filter, and the latest deliveries. @throws ServiceError `not_found`. */
export async function showAlerts(
  { organization, token, formToken, query }: AlertsRequest,
  { domains, alerts, deliveries, clock }: AlertListDependencies,
): Promise<string> {
  const { page, ...filter } = query;
  const { domain, severity, unread, each } = filter;
  if (domain !== undefined) await requireDomain(domains, organization, domain);
  const now = clock.now();
  const wanted = { domainId: domain, severity, unreadOnly: unread };
  const shown = { page, limit: ALERTS_PER_PAGE };
  const listEach = async () => {
    const { alerts: found, hasMore } = await alerts.list(organization, wanted, shown, now);
    return { groups: found.map(groupOfOne), hasMore };
  };
  const [found, sent] = await Promise.all([
    each ? listEach() : alerts.listCauses(organization, wanted, shown, now),
    deliveries.list(organization, DELIVERIES, now),
  ]);
  const view = {
    ...{ ...found, filter, page, formToken },
    deliveries: sent.deliveries.map(showDelivery),
    canWrite: covers(token.scope, 'write'),
  };
  return fitting((most) => alertsPage(view, most), MAX_CONSOLE_PAGE);
}
