/** What was sent about an organization, newest first. */
import type * as z from 'zod/mini';
import { type delivery, showDelivery } from '../api/deliveries.ts';
import type { Clock } from '../network/ports.ts';
import type { DeliveryStore } from '../store/alerts/deliveries.ts';

export interface DeliveryList {
  readonly deliveries: readonly z.output<typeof delivery>[];
  readonly page: number;
  readonly hasMore: boolean;
}

const DELIVERIES_PER_PAGE = 25;

export async function deliveryList(
  organization: string,
  page: number,
  { deliveries, clock }: { readonly deliveries: Pick<DeliveryStore, 'list'>; readonly clock: Clock },
): Promise<DeliveryList> {
  const shown = { page, limit: DELIVERIES_PER_PAGE };
  const found = await deliveries.list(organization, shown, clock.now());
  return { deliveries: found.deliveries.map(showDelivery), page, hasMore: found.hasMore };
}
