/** The operator's commands for notification: whom an organization wants to be told of its alerts. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import type { AlertSeverity } from '../../shared/alerts/alert.ts';
import { type Channel, type MailSettings, severities } from '../../shared/alerts/notification.ts';
import { isPublicAddress } from '../../shared/network/address-guard.ts';
import { parseRecipient } from '../../shared/notify/recipient.ts';
import { newWebhookSecret, parseWebhookUrl, webhookHeader } from '../../shared/notify/webhook.ts';
import { isWithin } from '../../shared/protocol/domain-name.ts';
import type { LastDelivery, StoredSettings } from '../../shared/store/alerts/notification-settings.ts';
import { CommandError } from '../local/command-line.ts';
import type { AdminParts, Options } from './commands.ts';
import { required } from './required.ts';

/** What nobody chose: warnings at once by mail, all others in the morning; everything to a program. */
const MAIL_THRESHOLD: AlertSeverity = 'warning';
const WEBHOOK_THRESHOLD: AlertSeverity = 'info';
const DIGEST_HOUR = 6;

/** Commands by their second word: `notify show`. */
export const notificationCommands: Readonly<
  Record<string, (args: readonly string[], options: Options, parts: AdminParts) => Promise<string[]>>
> = {
  async 'notify show'([id], _options, parts) {
    return shown(await organizationNamed(id, parts), parts);
  },

  async 'notify mail'([id, address], _options, parts) {
    const organization = await organizationNamed(id, parts);
    const recipient = parseRecipient(required(address, 'an address'), parts.ownDomains());
    if (!recipient.ok) throw new CommandError(`${address} is refused: ${recipient.problem}`);
    const { mail } = await parts.notifications.get(organization);
    await parts.notifications.setMail(organization, {
      threshold: mail?.threshold ?? MAIL_THRESHOLD,
      digestMinute: mail === null ? digestMinute(organization, DIGEST_HOUR) : mail.digestMinute,
      address: recipient.address,
    });
    return shown(organization, parts);
  },

  async 'notify webhook'([id, text], _options, parts) {
    const organization = await organizationNamed(id, parts);
    const parsed = parseWebhookUrl(required(text, 'an https URL'));
    if (!parsed.ok) throw new CommandError(`${text} is refused: ${parsed.problem}`);
    if (!parts.allowPrivateAddresses && isOnlyPrivate(parsed.url))
      throw new CommandError(
        `${text} is refused: it leads to an address that is not public, and is never dialled`,
      );
    const { webhook } = await parts.notifications.get(organization);
    const secret = newWebhookSecret();
    const threshold = webhook?.threshold ?? WEBHOOK_THRESHOLD;
    await parts.notifications.setWebhook(organization, { url: parsed.url, secret, threshold });
    return [
      ...(await shown(organization, parts)),
      `secret   ${secret}`,
      `It is shown this once. It signs every request, in ${webhookHeader.signature}.`,
    ];
  },

  async 'notify off'([id, channel], _options, parts) {
    const organization = await organizationNamed(id, parts);
    const channels = channelsNamed(channel);
    if (channels.includes('mail')) await parts.notifications.setMail(organization, null);
    if (channels.includes('webhook')) await parts.notifications.setWebhook(organization, null);
    return shown(organization, parts);
  },

  async 'notify threshold'([id, severity, channel], _options, parts) {
    const organization = await organizationNamed(id, parts);
    const threshold = severities.find((one) => one === severity);
    if (threshold === undefined) throw new CommandError(`a threshold is one of ${severities.join(', ')}`);
    const { mail, webhook } = await existing(organization, parts);
    const channels = channelsNamed(channel);
    if (mail !== null && channels.includes('mail')) {
      await parts.notifications.setMail(organization, { ...mail, threshold });
    }
    if (webhook !== null && channels.includes('webhook')) {
      await parts.notifications.setWebhook(organization, { ...webhook, threshold });
    }
    return shown(organization, parts);
  },

  async 'notify digest'([id, hour], _options, parts) {
    const organization = await organizationNamed(id, parts);
    const { mail } = await existing(organization, parts);
    if (mail === null) throw new CommandError('a digest is a mail: give an address with "notify mail" first');
    const digestMinuteOrNone = hour === 'off' ? null : digestMinute(organization, hourOf(hour));
    await parts.notifications.setMail(organization, { ...mail, digestMinute: digestMinuteOrNone });
    return shown(organization, parts);
  },

  async 'notify test'([id], _options, parts) {
    const organization = await organizationNamed(id, parts);
    const settings = await existing(organization, parts);
    const channels = (['mail', 'webhook'] as const).filter((channel) => settings[channel] !== null);
    const createdAt = parts.clock.now().toISOString();
    for (const channel of channels) {
      await parts.deliveries.makeTest({ id: uuidv7(), organization, channel, createdAt });
    }
    return [
      `a test is sent by ${channels.join(' and ')} within two minutes, while the service runs`,
      `"notify show ${organization}" then tells what became of it`,
    ];
  },
};

async function organizationNamed(id: string | undefined, { organizations }: AdminParts): Promise<string> {
  const organization = await organizations.get(required(id, 'an organization'));
  if (organization === undefined) throw new CommandError(`no such organization: ${id}`);
  return organization.id;
}

/** The settings of an organization that is told at all. */
async function existing(organization: string, { notifications }: AdminParts): Promise<StoredSettings> {
  const settings = await notifications.get(organization);
  if (settings.mail === null && settings.webhook === null) {
    throw new CommandError(`${organization} is told nothing yet: see "notify mail" and "notify webhook"`);
  }
  return settings;
}

/** Whether an address that is written out, or `localhost` (RFC 6761 section 6.3), shows that nothing will be dialled. */
function isOnlyPrivate(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '');
  return isIP(host) === 0 ? isWithin(host, 'localhost') : !isPublicAddress(host);
}

function channelsNamed(channel: string | undefined): readonly Channel[] {
  if (channel === undefined) return ['mail', 'webhook'];
  if (channel === 'mail' || channel === 'webhook') return [channel];
  throw new CommandError(`not mail or webhook: ${channel}`);
}

function hourOf(text: string | undefined): number {
  if (text === 'default') return DIGEST_HOUR;
  if (text === undefined || !/^(?:\d|1\d|2[0-3])$/.test(text)) {
    throw new CommandError('a digest comes at an hour of the UTC day, 0 to 23, "default" or "off"');
  }
  return Number(text);
}

/** Organizations that chose the same hour are spread over it. */
function digestMinute(organization: string, hour: number): number {
  return hour * 60 + (createHash('sha256').update(organization).digest().readUInt16BE(0) % 60);
}

async function shown(organization: string, { notifications }: AdminParts): Promise<string[]> {
  const [{ mail, webhook }, last] = await Promise.all([
    notifications.get(organization),
    notifications.lastDeliveries(organization),
  ]);
  return [
    mail === null
      ? 'mail     off'
      : `mail     ${mail.address}, alerts from ${mail.threshold}, ${digest(mail)}`,
    ...lastDelivery(last.mail),
    webhook === null ? 'webhook  off' : `webhook  ${webhook.url}, alerts from ${webhook.threshold}`,
    ...lastDelivery(last.webhook),
  ];
}

function lastDelivery(last: LastDelivery | null): string[] {
  if (last === null) return [];
  const { status, reason, at } = last;
  return [`         last delivery: ${status}${reason === null ? '' : ` (${reason})`} at ${at}`];
}

function digest({ digestMinute: minute }: MailSettings): string {
  if (minute === null) return 'no digest';
  const [hour, rest] = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'));
  return `digest of the others daily at ${hour}:${rest} UTC`;
}
