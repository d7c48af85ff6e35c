import { isDeepStrictEqual } from 'node:util';
import { digestSettingsOf } from '../../alerts/digest-schedule.ts';
import {
  isPagerFormat,
  isSiemFormat,
  type MailSettings,
  type NotificationSettings,
  pagerEvents,
  type Webhook,
  type WebhookTarget,
  withoutCredentials,
} from '../../alerts/notification.ts';
import { notificationsBody, showNotifications } from '../../api/notification-settings.ts';
import { problemWithPager } from '../../notify/pagers.ts';
import { parseRecipient } from '../../notify/recipient.ts';
import { problemWithSiem } from '../../notify/siem.ts';
import { newWebhookSecret, parseWebhookUrl } from '../../notify/webhook-target.ts';
import type { ChannelStore } from '../../store/alerts/channels.ts';
import type { StoredSettings } from '../../store/alerts/notification-settings.ts';
import { untilUncontended } from '../../store/contention.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';

export const operation = {
  name: 'changeNotifications',
  summary: 'Set where alerts are sent',
  scope: 'write',
  input: notificationsBody,
  refusals: ['invalid_request', 'precondition_failed'],
  uses: ['organizations:write', 'secrets:write'],
} as const satisfies Operation;

/** A channel that is not given stays as it is. */
export interface Wanted extends Partial<InputOf<typeof operation>> {
  /** Whether a webhook gets a new secret even if its URL stays, without reading the former one. */
  readonly renewSecret?: boolean;
}

export interface ChangeDependencies {
  readonly notifications: Pick<ChannelStore, 'get' | 'whole' | 'change'>;
  /** The domains for which the service receives mail. */
  readonly ownDomains: readonly string[];
  readonly allowPrivateAddresses: boolean;
}

interface ChangedSettings extends NotificationSettings {
  /** The secret of a webhook whose URL is new. */
  readonly newSecret: string | null;
}

/** The version of settings, which every change of a channel replaces. */
export const settingsVersionOf = ({ revision }: Pick<StoredSettings, 'revision'>): string => String(revision);

/** Sets the channels that are given. */
export async function changeNotifications(
  { organization, isCurrent }: CallerOf<typeof operation>,
  wanted: Wanted,
  { notifications, ownDomains, allowPrivateAddresses }: ChangeDependencies,
): Promise<OutcomeOf<typeof operation, ChangedSettings>> {
  const mail = mailOf(wanted, organization, ownDomains);
  if (mail instanceof Refused) return mail;
  // The write succeeds only if the settings did not change since they were read; otherwise read them again.
  return untilUncontended(async (): Promise<OutcomeOf<typeof operation, ChangedSettings> | undefined> => {
    const before = await notifications.get(organization);
    if (!isCurrent(settingsVersionOf(before))) return new Refused('precondition_failed');
    const former =
      wanted.webhook && before.webhook && wanted.renewSecret !== true
        ? {
            origin: before.webhook.origin,
            whole: await notifications.whole(organization, before.webhook),
          }
        : null;
    const webhook = webhookOf(wanted, former, { allowPrivateAddresses });
    if (webhook instanceof Refused) return webhook;
    const isSame = webhook === null ? before.webhook === null : isDeepStrictEqual(webhook, former?.whole);
    const changes = {
      ...(mail !== undefined && !isDeepStrictEqual(mail, before.mail) && { mail }),
      ...(webhook !== undefined && !isSame && { webhook }),
    };
    const isChange = Object.keys(changes).length > 0;
    if (isChange && !(await notifications.change(organization, changes, before.revision))) return undefined;
    const isNew = webhook && webhook.secret !== former?.whole?.secret;
    const after = {
      mail: mail === undefined ? before.mail : mail,
      webhook: webhook === undefined ? before.webhook : webhook && withoutCredentials(webhook),
    };
    return {
      value: { ...after, newSecret: isNew ? webhook.secret : null },
      version: settingsVersionOf({ revision: before.revision + (isChange ? 1 : 0) }),
      subjects: [
        {
          id: null,
          // Of the URL only the host is shown, and of the secret only that there is a new one.
          changes: changesBetween(
            { ...showNotifications(before), webhookSecret: 'kept' },
            { ...showNotifications(after), webhookSecret: isNew ? 'new' : 'kept' },
          ),
        },
      ],
    };
  });
}

function mailOf(
  { mail }: Wanted,
  organization: string,
  ownDomains: readonly string[],
): MailSettings | null | undefined | Refused<'invalid_request'> {
  if (!mail) return mail;
  const recipient = parseRecipient(mail.address, ownDomains);
  if (!recipient.ok) return invalid({ path: 'mail.address', message: recipient.problem });
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

type UrlRules = Pick<ChangeDependencies, 'allowPrivateAddresses'>;

function webhookOf(
  { webhook }: Wanted,
  former: FormerWebhook | null,
  rules: UrlRules,
): Webhook | null | undefined | Refused<'invalid_request'> {
  if (!webhook) return webhook;
  const target = targetOf(webhook.url, former, rules);
  if (target instanceof Refused) return target;
  const { threshold, format } = webhook;
  if (isPagerFormat(format)) {
    const problem = problemWithPager(target.url, format);
    if (problem !== undefined) return invalidUrl(problem);
    const other = webhook.events.find((event) => !pagerEvents.has(event));
    if (other !== undefined)
      return invalid({
        path: 'webhook.events',
        message: `must only be ${[...pagerEvents].join(' and ')} with the format ${format}: ${other} is no incident`,
      });
  }
  if (isSiemFormat(format)) {
    const problem = problemWithSiem(target.url, format);
    if (problem !== undefined) return invalidUrl(problem);
  }
  return { ...target, threshold, format, events: [...new Set(webhook.events)].toSorted() };
}

/** A webhook keeps its secret while its URL stays the same, as a whole or as responses show it. */
function targetOf(
  url: string,
  former: FormerWebhook | null,
  rules: UrlRules,
): WebhookTarget | Refused<'invalid_request'> {
  if (url === former?.origin) {
    if (former.whole === undefined)
      return invalidUrl('must be the whole URL, because it was changed at the same time');
    const { url, secret } = former.whole;
    return { url, secret };
  }
  const parsed = parseWebhookUrl(url, rules);
  if (!parsed.ok) return invalidUrl(parsed.problem);
  const isSame = former?.whole?.url === parsed.url;
  return { url: parsed.url, secret: isSame ? former.whole.secret : newWebhookSecret() };
}

const invalidUrl = (message: string): Refused<'invalid_request'> => invalid({ path: 'webhook.url', message });
