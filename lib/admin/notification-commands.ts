/** The operator commands for notification settings. */
import { v7 as uuidv7 } from 'uuid';
import {
  digestChoiceOf,
  digestDefaults,
  digestSettingsOf,
  isTimeZone,
  weekdays,
} from '../../shared/alerts/digest-schedule.ts';
import { type EventName, eventNames } from '../../shared/alerts/event.ts';
import {
  type Channel,
  type MailSettings,
  type NewWebhook,
  severities,
  type WebhookSettings,
  webhookFormats,
} from '../../shared/alerts/notification.ts';
import { settingDefaults } from '../../shared/api/notification-settings.ts';
import { parseRecipient } from '../../shared/notify/recipient.ts';
import { webhookHeader } from '../../shared/notify/webhook-headers.ts';
import { newWebhookSecret, parseWebhookUrl } from '../../shared/notify/webhook-target.ts';
import { counted } from '../../shared/protocol/quantity.ts';
import type { OpenDelivery } from '../../shared/store/alerts/deliveries.ts';
import type { LastDelivery, StoredSettings } from '../../shared/store/alerts/notification-settings.ts';
import { CommandError } from '../terminal/command-line.ts';
import type { AdminDependencies, Options } from './command.ts';
import { required } from './required.ts';

/** Commands by their second word: `notify show`. */
export const notificationCommands: Readonly<
  Record<string, (args: readonly string[], options: Options, deps: AdminDependencies) => Promise<string[]>>
> = {
  async 'notify show'([id], _options, deps) {
    return shown(await organizationNamed(id, deps), deps);
  },

  async 'notify mail'([id, address], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const recipient = parseRecipient(required(address, 'an address'), deps.ownDomains());
    if (!recipient.ok) throw new CommandError(`invalid address ${address}: ${recipient.problem}`);
    const { mail } = await deps.notifications.get(organization);
    await deps.notifications.setMail(organization, {
      threshold: settingDefaults.mailThreshold,
      ...digestSettingsOf(organization, digestDefaults),
      ...mail,
      address: recipient.address,
    });
    return shown(organization, deps);
  },

  async 'notify webhook'([id, text], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const parsed = parseWebhookUrl(required(text, 'an https URL'), deps);
    if (!parsed.ok) throw new CommandError(`invalid URL ${text}: ${parsed.problem}`);
    const { webhook } = await deps.notifications.get(organization);
    const secret = newWebhookSecret();
    const { threshold = settingDefaults.webhookThreshold, format, events } = webhook ?? {};
    await deps.notifications.setWebhook(organization, { url: parsed.url, secret, threshold, format, events });
    return [
      ...(await shown(organization, deps)),
      `secret   ${secret}`,
      `The secret is shown only once. It signs every request, in the header ${webhookHeader.signature}.`,
    ];
  },

  async 'notify off'([id, channel], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const channels = channelsNamed(channel);
    if (channels.includes('mail')) await deps.notifications.setMail(organization, null);
    if (channels.includes('webhook')) await deps.notifications.setWebhook(organization, null);
    return shown(organization, deps);
  },

  async 'notify threshold'([id, severity, channel], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const threshold = severities.find((one) => one === severity);
    if (threshold === undefined)
      throw new CommandError(`the threshold must be one of ${severities.join(', ')}`);
    const { mail, webhook } = await existing(organization, deps);
    const channels = channelsNamed(channel);
    if (mail !== null && channels.includes('mail')) {
      await deps.notifications.setMail(organization, { ...mail, threshold });
    }
    if (webhook !== null && channels.includes('webhook')) {
      await deps.notifications.setWebhook(organization, {
        ...(await webhookOf(organization, deps)),
        threshold,
      });
    }
    return shown(organization, deps);
  },

  async 'notify format'([id, name], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const format = webhookFormats.find((one) => one === name);
    if (format === undefined)
      throw new CommandError(`the format must be one of ${webhookFormats.join(', ')}`);
    await deps.notifications.setWebhook(organization, { ...(await webhookOf(organization, deps)), format });
    return shown(organization, deps);
  },

  async 'notify events'([id, ...names], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const webhook = await webhookOf(organization, deps);
    await deps.notifications.setWebhook(organization, { ...webhook, events: eventsNamed(names) });
    return shown(organization, deps);
  },

  async 'notify digest'([id, often, ...details], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const { mail } = await existing(organization, deps);
    if (mail === null)
      throw new CommandError('the digest is sent by mail: set an address with "notify mail" first');
    const digest = digestSettingsOf(organization, digestNamed(often, details));
    await deps.notifications.setMail(organization, { ...mail, ...digest });
    const lines = await shown(organization, deps);
    if (digest.digestMinute === null) return lines;
    return [
      ...lines,
      'Each organization has its own minute within the hour, so that not all digests are sent at once.',
    ];
  },

  async 'notify test'([id], _options, deps) {
    const organization = await organizationNamed(id, deps);
    const settings = await existing(organization, deps);
    const channels = (['mail', 'webhook'] as const).filter((channel) => settings[channel] !== null);
    const createdAt = deps.clock.now().toISOString();
    for (const channel of channels) {
      await deps.deliveries.createTest({ id: uuidv7(), organization, channel, createdAt });
    }
    return [
      `a test notification is sent by ${channels.join(' and ')} within two minutes if the service is running`,
      `to see the result, run "notify show ${organization}"`,
    ];
  },
};

async function organizationNamed(
  id: string | undefined,
  { organizations }: AdminDependencies,
): Promise<string> {
  const organization = await organizations.get(required(id, 'an organization'));
  if (organization === undefined) throw new CommandError(`organization not found: ${id}`);
  return organization.id;
}

/** The settings of an organization. @throws CommandError if no channel is set. */
async function existing(organization: string, { notifications }: AdminDependencies): Promise<StoredSettings> {
  const settings = await notifications.get(organization);
  if (settings.mail === null && settings.webhook === null) {
    throw new CommandError(
      `notifications of ${organization} are off: set a channel with "notify mail" or "notify webhook" first`,
    );
  }
  return settings;
}

/** @throws CommandError if there is no webhook. */
async function webhookOf(organization: string, { notifications }: AdminDependencies): Promise<NewWebhook> {
  const { webhook } = await notifications.get(organization);
  if (webhook === null)
    throw new CommandError(`${organization} has no webhook: set one with "notify webhook" first`);
  const whole = await notifications.whole(organization, webhook);
  if (whole === undefined)
    throw new CommandError(`the webhook of ${organization} was changed at the same time: try again`);
  return whole;
}

/** In the order in which `PUT /notifications` stores them. */
function eventsNamed(names: readonly string[]): readonly EventName[] {
  const [first] = names;
  if (first === 'none' && names.length === 1) return [];
  const unknown = names.find((name) => !eventNames.some((one) => one === name));
  if (first === undefined || unknown !== undefined)
    throw new CommandError(`the events must be "none", or some of ${eventNames.join(', ')}`);
  return eventNames.filter((name) => names.includes(name)).toSorted();
}

function channelsNamed(channel: string | undefined): readonly Channel[] {
  if (channel === undefined) return ['mail', 'webhook'];
  if (channel === 'mail' || channel === 'webhook') return [channel];
  throw new CommandError(`the channel must be mail or webhook: ${channel}`);
}

/** The digest that the arguments name: `daily 7 Europe/Berlin`, for example, or an hour for a daily one in UTC. */
function digestNamed(often: string | undefined, details: readonly string[]) {
  if (often === 'off') return { digest: 'off' } as const;
  if (often === 'default') return digestDefaults;
  if (often === 'daily') return { digest: 'daily', ...timeNamed(details) } as const;
  if (often === 'weekly') {
    const [name = digestDefaults.digestWeekday, ...time] = details;
    const digestWeekday = weekdays.find((one) => one === name.toLowerCase());
    if (digestWeekday === undefined) throw new CommandError(`the day must be one of ${weekdays.join(', ')}`);
    return { digest: 'weekly', digestWeekday, ...timeNamed(time) } as const;
  }
  if (often === undefined || !/^\d+$/.test(often))
    throw new CommandError(
      'the digest must be "daily", "weekly", "off", "default", or the hour (UTC) of a daily one, 0 to 23',
    );
  return timeNamed([often]);
}

function timeNamed([hour = String(digestDefaults.digestHour), zone]: readonly string[]) {
  if (!/^(?:\d|1\d|2[0-3])$/.test(hour)) throw new CommandError('the hour of the digest must be 0 to 23');
  if (zone !== undefined && !isTimeZone(zone))
    throw new CommandError(`unknown time zone ${zone}: use a name such as Europe/Berlin`);
  return { digestHour: Number(hour), digestTimeZone: zone };
}

async function shown(
  organization: string,
  { notifications, deliveries }: AdminDependencies,
): Promise<string[]> {
  const [{ mail, webhook }, last, open] = await Promise.all([
    notifications.get(organization),
    notifications.lastDeliveries(organization),
    deliveries.open(organization),
  ]);
  const detail = (channel: Channel): string[] => [
    ...lastDelivery(last[channel]),
    ...openDeliveries(open.filter((one) => one.channel === channel)),
  ];
  return [
    mail === null
      ? 'mail     off'
      : `mail     ${mail.address}, alerts from severity ${mail.threshold}, ${digest(mail)}`,
    ...detail('mail'),
    webhook === null ? 'webhook  off' : `webhook  ${describeWebhook(webhook)}`,
    ...detail('webhook'),
  ];
}

const describeWebhook = ({ origin, threshold, format, events }: WebhookSettings): string =>
  [
    `${origin}, alerts from severity ${threshold}`,
    ...(format === 'json' ? [] : [`in the format ${format}`]),
    ...(events.length === 0 ? [] : [`with the events ${events.join(', ')}`]),
  ].join(', ');

const INDENT = ' '.repeat(9);

function lastDelivery(last: LastDelivery | null): string[] {
  if (last === null) return [];
  const { status, reason, at } = last;
  return [`${INDENT}last delivery: ${status}${reason === null ? '' : ` (${reason})`} at ${at}`];
}

/** What is neither delivered nor given up, with the details of the oldest. */
function openDeliveries([oldest, ...others]: readonly OpenDelivery[]): string[] {
  if (oldest === undefined) return [];
  const { createdAt, attempts, failures, reason, nextAttemptAt } = oldest;
  const failed = reason === null ? '' : `, ${failures} of them failed (${reason})`;
  const next = nextAttemptAt === null ? '' : `, the next at ${nextAttemptAt} at the earliest`;
  return [
    `${INDENT}not delivered yet: ${1 + others.length}, the oldest since ${createdAt}`,
    `${INDENT}the oldest: ${counted(attempts, 'attempt')}${failed}${next}`,
  ];
}

function digest(mail: MailSettings): string {
  const { digest, digestWeekday, digestTimeZone } = digestChoiceOf(mail);
  if (mail.digestMinute === null) return 'no digest';
  const parts = [Math.floor(mail.digestMinute / 60), mail.digestMinute % 60];
  const time = parts.map((part) => String(part).padStart(2, '0')).join(':');
  return `${digest} digest${digestWeekday === null ? '' : ` on ${digestWeekday}`} at ${time} ${digestTimeZone}`;
}
