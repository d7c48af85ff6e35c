import { isDeepStrictEqual } from 'node:util';
import { digestMinute, type MailSettings, type WebhookSettings } from '../../shared/alerts/notification.ts';
import { type notificationsBody, showNotifications } from '../../shared/api/notification-settings.ts';
import { parseRecipient } from '../../shared/notify/recipient.ts';
import { newWebhookSecret, parseWebhookUrl } from '../../shared/notify/webhook-target.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { isCurrent } from '../../shared/runtime/http/entity-tag.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { routes } from './routes.ts';
import { versionOf } from './rules.ts';

export const handler = endpoint(
  routes.changeNotifications,
  () => {
    const { REPORTS_DOMAIN, TESTER_DOMAIN, PRIVATE_ADDRESSES } = config();
    return {
      notifications: notificationSettingsStore(table()),
      ownDomains: [REPORTS_DOMAIN, TESTER_DOMAIN],
      allowPrivateAddresses: PRIVATE_ADDRESSES === 'allow',
    };
  },
  async ({ organization, body, ifMatch }, { notifications, ...rules }) => {
    const mail = mailOf(body, organization, rules.ownDomains);
    // The write succeeds only if the settings did not change since they were read; otherwise read them again.
    for (;;) {
      const before = await notifications.get(organization);
      if (!isCurrent(versionOf(before), ifMatch)) throw new ServiceError('precondition_failed');
      const webhook = webhookOf(body, before.webhook, rules);
      const changes = {
        ...(!isDeepStrictEqual(mail, before.mail) && { mail }),
        ...(!isDeepStrictEqual(webhook, before.webhook) && { webhook }),
      };
      const isChange = Object.keys(changes).length > 0;
      if (isChange && !(await notifications.change(organization, changes, before.revision))) continue;
      const isNew = webhook !== null && webhook.secret !== before.webhook?.secret;
      return {
        ...reply({
          ...showNotifications({ mail, webhook }, { isWhole: true }),
          webhookSecret: isNew ? webhook.secret : null,
        }),
        version: versionOf({ revision: before.revision + (isChange ? 1 : 0) }),
        subjects: [{ id: null }],
      };
    }
  },
);

type Body = ReturnType<typeof notificationsBody.parse>;

/** @throws ServiceError `invalid_request` */
function mailOf({ mail }: Body, organization: string, ownDomains: readonly string[]): MailSettings | null {
  if (mail === null) return null;
  const recipient = parseRecipient(mail.address, ownDomains);
  if (!recipient.ok) throw invalidRequest({ path: 'body.mail.address', message: recipient.problem });
  return {
    address: recipient.address,
    threshold: mail.threshold,
    digestMinute: mail.digestHour === null ? null : digestMinute(organization, mail.digestHour),
  };
}

/** A webhook keeps its secret while its URL stays the same. @throws ServiceError `invalid_request` */
function webhookOf(
  { webhook }: Body,
  before: WebhookSettings | null,
  rules: { readonly allowPrivateAddresses: boolean },
): WebhookSettings | null {
  if (webhook === null) return null;
  const parsed = parseWebhookUrl(webhook.url, rules);
  if (!parsed.ok) throw invalidRequest({ path: 'body.webhook.url', message: parsed.problem });
  const secret = before?.url === parsed.url ? before.secret : newWebhookSecret();
  const { threshold, format } = webhook;
  return { url: parsed.url, secret, threshold, format, events: [...new Set(webhook.events)].toSorted() };
}
