import { deliveryPath, missing } from '../../api/common.ts';
import type { Clock } from '../../network/ports.ts';
import type { DeliveryStore } from '../../store/alerts/deliveries.ts';
import type { Delivery } from '../../store/alerts/delivery.ts';
import type { RateStore } from '../../store/rates/rates.ts';
import { newId } from '../../store/time-ids.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { countOnRequest } from './count-on-request.ts';

export const operation = {
  name: 'redeliver',
  summary: 'Send the content of a delivery again, as a new delivery to where notifications are sent now',
  scope: 'write',
  on: deliveryPath,
  refusals: ['not_found', 'rate_limited'],
  uses: ['deliveries:write', 'delivery-lists:write'],
} as const satisfies Operation;

export interface RedeliveryDependencies {
  readonly deliveries: Pick<DeliveryStore, 'outcomeOf' | 'createAgain'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

/** Sends the content of a delivery again; returns the new delivery. */
export async function redeliver(
  { organization }: CallerOf<typeof operation>,
  { id }: InputOf<typeof operation>,
  { deliveries, rates, clock }: RedeliveryDependencies,
): Promise<OutcomeOf<typeof operation, Pick<Delivery, 'id' | 'createdAt' | 'channel' | 'kind'>>> {
  const now = clock.now();
  const before = await deliveries.outcomeOf(organization, id);
  if (before === undefined) return new Refused('not_found', missing.delivery);
  const refused = await countOnRequest(rates, organization, now);
  if (refused !== undefined) return refused;
  const created = { id: newId(now), createdAt: now.toISOString() };
  await deliveries.createAgain(before, created);
  return {
    value: { ...created, channel: before.channel, kind: before.kind },
    subjects: [{ id, name: before.channel }],
  };
}
