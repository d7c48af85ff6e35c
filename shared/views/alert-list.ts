/** The alerts of an organization, and the latest deliveries. */
import type * as z from 'zod/mini';
import type { AlertSeverity } from '../alerts/alert.ts';
import { type AlertGroup, groupOfOne } from '../alerts/cause.ts';
import { type delivery, showDelivery } from '../api/deliveries.ts';
import type { Clock } from '../network/ports.ts';
import { noSuchDomain } from '../operations/domains/on-domain.ts';
import type { Refused } from '../operations/outcome.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { DeliveryStore } from '../store/alerts/deliveries.ts';
import type { DomainStore } from '../store/domains/domains.ts';

export interface AlertFilterView {
  readonly severity?: AlertSeverity | undefined;
  /** Only alerts of the domain with this id. */
  readonly domain?: string | undefined;
  readonly unread: boolean;
  /** Each alert, instead of one for each cause. */
  readonly each?: boolean;
}

export interface AlertList {
  readonly filter: AlertFilterView;
  /** Newest first. */
  readonly groups: readonly AlertGroup[];
  readonly page: number;
  readonly hasMore: boolean;
  /** The latest ones, newest first. */
  readonly deliveries: readonly z.output<typeof delivery>[];
}

const ALERTS_PER_PAGE = 20;
const DELIVERIES = { page: 1, limit: 10 };

interface AlertListDependencies {
  readonly domains: Pick<DomainStore, 'get'>;
  readonly alerts: Pick<AlertStore, 'list' | 'listCauses'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly clock: Clock;
}

/** The alerts that match a filter; refused if they are those of a domain that does not exist. */
export async function alertList(
  organization: string,
  { page, ...filter }: AlertFilterView & { readonly page: number },
  { domains, alerts, deliveries, clock }: AlertListDependencies,
): Promise<AlertList | Refused> {
  const { domain, severity, unread, each = false } = filter;
  if (domain !== undefined && (await domains.get(organization, domain)) === undefined) return noSuchDomain();
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
  return { ...found, filter, page, deliveries: sent.deliveries.map(showDelivery) };
}
