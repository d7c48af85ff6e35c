/** Where an organization receives its alerts, from which severity, and when. */
import * as z from 'zod/mini';
import { described, oneOf } from '../protocol/schema.ts';
import type { AlertSeverity } from './alert.ts';
import { type DigestSchedule, weekdays } from './digest-schedule.ts';
import { type EventName, eventName } from './event.ts';

const channelNames = ['mail', 'webhook'] as const;

export const channel = described(oneOf(channelNames), 'A way to send notifications');

export type Channel = z.infer<typeof channel>;

export const channels: readonly Channel[] = channel.options;

/** `alerts` are sent as soon as possible; a `digest` at the time that the organization chose. */
export const notificationKind = z.enum(['alerts', 'digest']);

export type NotificationKind = z.infer<typeof notificationKind>;

/** Least severe first. */
export const severities: readonly AlertSeverity[] = ['info', 'warning', 'critical'];

export const isAtLeast = (severity: AlertSeverity, threshold: AlertSeverity): boolean =>
  severities.indexOf(severity) >= severities.indexOf(threshold);

interface Rated {
  readonly severity: AlertSeverity;
}

/** Orders a list: the most severe first. */
export const mostSevereFirst = (a: Rated, b: Rated): number =>
  severities.indexOf(b.severity) - severities.indexOf(a.severity);

export const mailSettings = z.object({
  address: z.string(),
  /** Alerts of at least this severity are sent immediately. */
  threshold: z.enum(severities),
  /** When the digest is sent: a minute of the day, or null for never. */
  digestMinute: z.nullable(z.number()),
  /** The day of the week of the digest; null: every day. */
  digestWeekday: z._default(z.nullable(z.enum(weekdays)), null),
  /** The time zone of both, an IANA name. */
  digestTimeZone: z._default(z.string(), 'UTC'),
});

export type MailSettings = Readonly<z.infer<typeof mailSettings>>;

/** New mail settings; without a weekday and a time zone, the defaults apply. */
export type NewMailSettings = Readonly<z.input<typeof mailSettings>>;

/** When the digest is sent; null: never. */
export function digestScheduleOf(mail: MailSettings | null): DigestSchedule | null {
  if (mail === null || mail.digestMinute === null) return null;
  return { minute: mail.digestMinute, weekday: mail.digestWeekday, timeZone: mail.digestTimeZone };
}

/**
 * How requests to a webhook are written: in the format of this service, as a message for Slack or Microsoft Teams, or as events
 * of the Events API v2 of PagerDuty or the Alert API of Opsgenie, or for systems that collect events.
 */
export const webhookFormats = [
  ...(['json', 'slack', 'teams', 'pagerduty', 'opsgenie'] as const),
  ...(['splunk', 'ecs', 'ocsf'] as const),
] as const;

export type WebhookFormat = (typeof webhookFormats)[number];

const pagerFormats = ['pagerduty', 'opsgenie'] as const;

export type PagerFormat = (typeof pagerFormats)[number];

const siemFormats = ['splunk', 'ecs', 'ocsf'] as const;

export type SiemFormat = (typeof siemFormats)[number];

/** Whether it collects alerts and events: the HTTP Event Collector, or one that reads ECS or OCSF. */
export const isSiemFormat = (format: WebhookFormat): format is SiemFormat =>
  siemFormats.some((one) => one === format);

/** Whether each alert is an incident there, which stays open until it is resolved. */
export const isPagerFormat = (format: WebhookFormat): format is PagerFormat =>
  pagerFormats.some((one) => one === format);

/** The events that are incidents, or the end of one. */
export const pagerEvents: ReadonlySet<EventName> = new Set(['attention.opened', 'attention.closed']);

/** What an organization chooses to have sent to its webhook, and how. */
const webhookOptions = z.object({
  /** Alerts of at least this severity are sent. */
  threshold: z.enum(severities),
  format: z._default(z.enum(webhookFormats), 'json'),
  /** The events that are sent beside alerts. */
  events: z._default(z.readonly(z.array(eventName)), []),
});

/** Where requests go, and what signs them. Both are credentials, so they are stored apart, encrypted. */
export const webhookTarget = z.object({
  /** https only. */
  url: z.string(),
  /** The HMAC key. */
  secret: z.string(),
});

export type WebhookTarget = Readonly<z.infer<typeof webhookTarget>>;

/** What may be known of a webhook without its credentials. */
export const webhookSettings = z.object({
  /** Scheme and host of the URL. */
  origin: z.string(),
  ...webhookOptions.shape,
});

export type WebhookSettings = Readonly<z.infer<typeof webhookSettings>>;

/** All of a webhook. */
export const webhook = z.object({ ...webhookTarget.shape, ...webhookOptions.shape });

export type Webhook = Readonly<z.infer<typeof webhook>>;

/** A new webhook; without a format and events, the defaults apply. */
export type NewWebhook = Readonly<z.input<typeof webhook>>;

export const withoutCredentials = ({ url, secret: _secret, ...options }: Webhook): WebhookSettings => ({
  origin: new URL(url).origin,
  ...options,
});

/** What a member has mailed to an address of their own, beside what the organization receives. */
export const memberMail = z.object({
  address: z.string(),
  /** Alerts of at least this severity are sent. */
  threshold: z.enum(severities),
  /** Only about domains with one of these; empty: about all. */
  tags: z.array(z.string()),
});

export type MemberMail = Readonly<z.infer<typeof memberMail>>;

export interface NotificationSettings {
  readonly mail: MailSettings | null;
  readonly webhook: WebhookSettings | null;
  /** By the ID of the member. */
  readonly people?: Readonly<Record<string, MemberMail>>;
}

/** The events that are notices: a person has to know of them, so they are sent by mail, too. */
const notices: ReadonlySet<EventName> = new Set(['domain.unproven', 'token.created']);

/** The channels on which an organization receives events of this name. */
export function channelsOfEvent({ mail, webhook }: NotificationSettings, name: EventName): Channel[] {
  return [
    ...(mail !== null && notices.has(name) ? (['mail'] as const) : []),
    ...(webhook?.events.includes(name) ? (['webhook'] as const) : []),
  ];
}

/** A notification that is due on a channel. */
export interface DueNotification {
  readonly channel: Channel;
  /** For the members who have alerts mailed to them, with one notification for all; otherwise for the organization. */
  readonly to?: 'members';
  readonly kind: NotificationKind;
  readonly at: Date;
}

interface Raised {
  readonly severity: AlertSeverity;
  /** Whether it says that what earlier ones were about is over. */
  readonly isEnd: boolean;
}

/**
 * The notifications for an alert that is raised at `now`; empty if it is sent with the next digest at most. An end resolves an
 * incident, so it is sent there whatever its severity is.
 */
export function notificationsOf(
  settings: NotificationSettings,
  { severity, isEnd }: Raised,
  now: Date,
): readonly DueNotification[] {
  const reaches = (threshold: AlertSeverity | undefined) =>
    threshold !== undefined && isAtLeast(severity, threshold);
  const ofOrganization = channels.filter((channel) => {
    if (channel === 'webhook' && isEnd && settings.webhook && isPagerFormat(settings.webhook.format))
      return true;
    return reaches(settings[channel]?.threshold);
  });
  // One for all members, however many: it is written in a transaction. Who gets it is known when it is sent.
  const isForMembers = Object.values(settings.people ?? {}).some(({ threshold }) => reaches(threshold));
  return [
    ...ofOrganization.map((channel): DueNotification => ({ channel, kind: 'alerts', at: now })),
    ...(isForMembers ? [{ channel: 'mail', to: 'members', kind: 'alerts', at: now } as const] : []),
  ];
}
