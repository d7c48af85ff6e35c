/** The version of notification settings, and limits of what sends notifications on request. */
import { rateLimited } from '../../shared/runtime/http/errors.ts';
import type { StoredSettings } from '../../shared/store/alerts/notification-settings.ts';
import type { RateStore } from '../../shared/store/rates/rates.ts';

/** The version of settings, which every change of a channel replaces. */
export const versionOf = ({ revision }: Pick<StoredSettings, 'revision'>): string => String(revision);

/** Tests and repeated deliveries of an organization: each is a mail or a request to a host of its choice. */
const ON_REQUEST = { limit: 30, windowMilliseconds: 3_600_000 };

/** @throws ServiceError `rate_limited` */
export async function countOnRequest(
  rates: Pick<RateStore, 'consume'>,
  organization: string,
  now: Date,
  weight = 1,
): Promise<void> {
  const decision = await rates.consume('notify-on-request', organization, ON_REQUEST, now, { weight });
  if (!decision.allowed) throw rateLimited(decision.retryAfterMilliseconds);
}
