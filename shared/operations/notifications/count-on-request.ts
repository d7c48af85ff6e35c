/** How often notifications are sent at the request of an organization. */
import type { RateStore } from '../../store/rates/rates.ts';
import { type Refused, tooOften } from '../outcome.ts';

/** Tests and repeated deliveries of an organization: each is a mail or a request to a host of its choice. */
const ON_REQUEST = { limit: 30, windowMilliseconds: 3_600_000 };

/** Counts what is about to be sent; undefined if it is allowed. */
export async function countOnRequest(
  rates: Pick<RateStore, 'consume'>,
  organization: string,
  now: Date,
  weight = 1,
): Promise<Refused<'rate_limited'> | undefined> {
  const decision = await rates.consume('notify-on-request', organization, ON_REQUEST, now, { weight });
  return decision.allowed ? undefined : tooOften(decision.retryAfterMilliseconds);
}
