/** The alerts of an organization. */
import type { Alert, AlertSeverity } from '../alerts/alert.ts';
import { type AlertGroup, groupByCauseAndDay, groupOfOne } from '../alerts/cause.ts';
import type { Clock } from '../network/ports.ts';
import { noSuchDomain } from '../operations/domains/on-domain.ts';
import type { Refused } from '../operations/outcome.ts';
import { type AlertStore, MAX_GROUPED } from '../store/alerts/alerts.ts';
import type { DomainStore } from '../store/domains/domains.ts';

export interface AlertFilterView {
  readonly severity?: AlertSeverity | undefined;
  /** Only alerts of the domain with this id. */
  readonly domain?: string | undefined;
  readonly unread: boolean;
  /** Each alert, newest first, instead of one line for each cause and day. */
  readonly each?: boolean;
}

export interface AlertList {
  readonly filter: AlertFilterView;
  /** Those that need a reader first, then newest first. */
  readonly groups: readonly AlertGroup[];
  /** The newest unread alert, up to which all can be marked as read. */
  readonly newestUnread: Pick<Alert, 'id'> | undefined;
  readonly page: number;
  readonly hasMore: boolean;
}

const ALERTS_PER_PAGE = 50;

interface AlertListDependencies {
  readonly domains: Pick<DomainStore, 'get'>;
  readonly alerts: Pick<AlertStore, 'list'>;
  readonly clock: Clock;
}

/** Whether it is unread, and a warning or worse. */
export const needsReader = ({ newest, unread }: AlertGroup): boolean =>
  unread > 0 && newest.severity !== 'info';

/** The alerts that match a filter; refused if they are those of a domain that does not exist. */
export async function alertList(
  organization: string,
  { page, ...filter }: AlertFilterView & { readonly page: number },
  { domains, alerts, clock }: AlertListDependencies,
): Promise<AlertList | Refused> {
  const { domain, severity, unread, each = false } = filter;
  if (domain !== undefined && (await domains.get(organization, domain)) === undefined) return noSuchDomain();
  const wanted = { domainId: domain, severity, unreadOnly: unread };
  const read = each ? { page, limit: ALERTS_PER_PAGE } : { page: 1, limit: MAX_GROUPED };
  const { alerts: found, hasMore } = await alerts.list(organization, wanted, read, clock.now());
  const newestUnread = found.find((alert) => !alert.read);
  if (each) return { groups: found.map(groupOfOne), hasMore, newestUnread, filter, page };
  const groups = groupByCauseAndDay(found);
  const sorted = [...groups.filter(needsReader), ...groups.filter((group) => !needsReader(group))];
  const end = page * ALERTS_PER_PAGE;
  return {
    ...{ groups: sorted.slice(end - ALERTS_PER_PAGE, end), hasMore: sorted.length > end },
    ...{ newestUnread, filter, page },
  };
}
