/** How notification settings are changed and tested, by the API and by the console. */
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import { digestSettingsOf } from '../../shared/alerts/digest-schedule.ts';
import {
  type Channel,
  channels,
  type MailSettings,
  type NotificationSettings,
  type Webhook,
  type WebhookTarget,
  withoutCredentials,
} from '../../shared/alerts/notification.ts';
import { missing } from '../../shared/api/common.ts';
import type { notificationsBody } from '../../shared/api/notification-settings.ts';
import type { Clock } from '../../shared/network/ports.ts';
import { parseRecipient } from '../../shared/notify/recipient.ts';
import { newWebhookSecret, parseWebhookUrl } from '../../shared/notify/webhook-target.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { cipher } from '../../shared/runtime/dependencies/cipher.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { isCurrent } from '../../shared/runtime/http/entity-tag.ts';
import { invalidRequest, rateLimited, ServiceError } from '../../shared/runtime/http/errors.ts';
import { type ChannelStore, channelStore } from '../../shared/store/alerts/channels.ts';
import { type DeliveryStore, deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import type { Delivery } from '../../shared/store/alerts/delivery.ts';
import {
  type NotificationSettingsStore,
  notificationSettingsStore,
  type StoredSettings,
} from '../../shared/store/alerts/notification-settings.ts';
import { untilUncontended } from '../../shared/store/contention.ts';
import { type RateStore, rateStore } from '../../shared/store/rates/rates.ts';

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

export interface ChangeDependencies {
  readonly notifications: Pick<ChannelStore, 'get' | 'whole' | 'change'>;
  /** The domains for which the service receives mail. */
  readonly ownDomains: readonly string[];
  readonly allowPrivateAddresses: boolean;
}

export function changeDependencies(): ChangeDependencies {
  const { REPORTS_DOMAIN, TESTER_DOMAIN, PRIVATE_ADDRESSES } = config();
  return {
    notifications: channelStore(table(), cipher),
    ownDomains: [REPORTS_DOMAIN, TESTER_DOMAIN],
    allowPrivateAddresses: PRIVATE_ADDRESSES === 'allow',
  };
}

export interface RedeliveryDependencies {
  readonly deliveries: Pick<DeliveryStore, 'outcomeOf' | 'createAgain'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

export const redeliveryDependencies = (): RedeliveryDependencies => ({
  deliveries: deliveryStore(table()),
  rates: rateStore(table()),
  clock,
});

/** Sends the content of a delivery again, as a new delivery. @throws ServiceError `not_found`, `rate_limited`. */
export async function redeliver(
  organization: string,
  id: string,
  { deliveries, rates, clock }: RedeliveryDependencies,
): Promise<Pick<Delivery, 'id' | 'createdAt' | 'channel' | 'kind'>> {
  const now = clock.now();
  const before = await deliveries.outcomeOf(organization, id);
  if (before === undefined) throw new ServiceError('not_found', missing.delivery);
  await countOnRequest(rates, organization, now);
  const created = { id: uuidv7({ msecs: now.getTime() }), createdAt: now.toISOString() };
  await deliveries.createAgain(before, created);
  return { ...created, channel: before.channel, kind: before.kind };
}

interface ChangedSettings extends NotificationSettings {
  /** The secret of a webhook whose URL is new. */
  readonly newSecret: string | null;
  readonly version: string;
}

/** Sets both channels. @throws ServiceError `invalid_request`, `precondition_failed`. */
export async function changeSettings(
  organization: string,
  body: Body,
  { notifications, ...rules }: ChangeDependencies,
  ifMatch?: string,
): Promise<ChangedSettings> {
  const mail = mailOf(body, organization, rules.ownDomains);
  // The write succeeds only if the settings did not change since they were read; otherwise read them again.
  return untilUncontended(async () => {
    const before = await notifications.get(organization);
    if (!isCurrent(versionOf(before), ifMatch)) throw new ServiceError('precondition_failed');
    const former = body.webhook &&
      before.webhook && {
        origin: before.webhook.origin,
        whole: await notifications.whole(organization, before.webhook),
      };
    const webhook = webhookOf(body, former, rules);
    const isSame = webhook === null ? before.webhook === null : isDeepStrictEqual(webhook, former?.whole);
    const changes = {
      ...(!isDeepStrictEqual(mail, before.mail) && { mail }),
      ...(!isSame && { webhook }),
    };
    const isChange = Object.keys(changes).length > 0;
    if (isChange && !(await notifications.change(organization, changes, before.revision))) return undefined;
    const isNew = webhook !== null && webhook.secret !== former?.whole?.secret;
    const version = versionOf({ revision: before.revision + (isChange ? 1 : 0) });
    return {
      mail,
      webhook: webhook && withoutCredentials(webhook),
      newSecret: isNew ? webhook.secret : null,
      version,
    };
  });
}

export interface TestDependencies {
  readonly notifications: Pick<NotificationSettingsStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'createTest'>;
  readonly rates: Pick<RateStore, 'consume'>;
  readonly clock: Clock;
}

export const testDependencies = (): TestDependencies => ({
  notifications: notificationSettingsStore(table()),
  deliveries: deliveryStore(table()),
  rates: rateStore(table()),
  clock,
});

/** Sends a test on one channel, or on all that are set. @throws ServiceError `invalid_request`, `rate_limited`. */
export async function sendTests(
  organization: string,
  channel: Channel | undefined,
  { notifications, deliveries, rates, clock }: TestDependencies,
) {
  const now = clock.now();
  const settings = await notifications.get(organization);
  const wanted = channel === undefined ? channels : [channel];
  const found = wanted.filter((one) => settings[one] !== null);
  if (found.length === 0)
    throw invalidRequest({ path: 'body.channel', message: 'is off: set it with PUT /notifications first' });
  await countOnRequest(rates, organization, now, found.length);
  const createdAt = now.toISOString();
  const created = found.map((one) => ({ id: uuidv7({ msecs: now.getTime() }), createdAt, channel: one }));
  await Promise.all(created.map((one) => deliveries.createTest({ ...one, organization })));
  return created;
}

type Body = z.output<typeof notificationsBody>;

/** @throws ServiceError `invalid_request` */
function mailOf({ mail }: Body, organization: string, ownDomains: readonly string[]): MailSettings | null {
  if (mail === null) return null;
  const recipient = parseRecipient(mail.address, ownDomains);
  if (!recipient.ok) throw invalidRequest({ path: 'body.mail.address', message: recipient.problem });
  return {
    address: recipient.address,
    threshold: mail.threshold,
    ...digestSettingsOf(organization, mail),
  };
}

interface FormerWebhook {
  readonly origin: string;
  /** With its URL and secret; undefined if they were changed meanwhile. */
  readonly whole: Webhook | undefined;
}

/** @throws ServiceError `invalid_request` */
function webhookOf(
  { webhook }: Body,
  former: FormerWebhook | null,
  rules: { readonly allowPrivateAddresses: boolean },
): Webhook | null {
  if (webhook === null) return null;
  const { threshold, format } = webhook;
  const events = [...new Set(webhook.events)].toSorted();
  return { ...targetOf(webhook.url, former, rules), threshold, format, events };
}

/** A webhook keeps its secret while its URL stays the same, as a whole or as responses show it. */
function targetOf(
  url: string,
  former: FormerWebhook | null,
  rules: { readonly allowPrivateAddresses: boolean },
): WebhookTarget {
  const path = 'body.webhook.url';
  if (url === former?.origin) {
    if (former.whole === undefined)
      throw invalidRequest({
        path,
        message: 'must be the whole URL, because it was changed at the same time',
      });
    const { url, secret } = former.whole;
    return { url, secret };
  }
  const parsed = parseWebhookUrl(url, rules);
  if (!parsed.ok) throw invalidRequest({ path, message: parsed.problem });
  const isSame = former?.whole?.url === parsed.url;
  return { url: parsed.url, secret: isSame ? former.whole.secret : newWebhookSecret() };
}
