/** The link that turns a digest off. */
import { missing } from '../../shared/api/common.ts';
import { isUnsubscribeToken } from '../../shared/notify/unsubscribe.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import {
  type NotificationSettingsStore,
  notificationSettingsStore,
} from '../../shared/store/alerts/notification-settings.ts';

export interface UnsubscribeDependencies {
  readonly notifications: Pick<NotificationSettingsStore, 'get' | 'turnDigestOff'>;
}

export const unsubscribeDependencies = (): UnsubscribeDependencies => ({
  notifications: notificationSettingsStore(table()),
});

/** The mail settings that a link is for. @throws ServiceError `not_found`. */
export async function requireMail(
  { organization, token }: { readonly organization: string; readonly token: string },
  { notifications }: UnsubscribeDependencies,
) {
  const { mail, unsubscribeKey } = await notifications.get(organization);
  if (mail === null || unsubscribeKey === null || !isUnsubscribeToken(token, unsubscribeKey, mail.address))
    throw new ServiceError('not_found', missing.unsubscribe);
  return mail;
}
