/** Whom an organization wants to be told of its alerts, from which severity on, and when. */
import type { AlertSeverity } from './alert.ts';

export type Channel = 'mail' | 'webhook';

export interface MailSettings {
  readonly address: string;
  /** Alerts of at least this severity are told at once. */
  readonly threshold: AlertSeverity;
  /** When all others are told together: a minute of the UTC day, or null for never. */
  readonly digestMinute: number | null;
}

export interface WebhookSettings {
  /** https only. */
  readonly url: string;
  /** What requests are signed with. */
  readonly secret: string;
  /** Alerts of at least this severity are told. */
  readonly threshold: AlertSeverity;
}

export interface NotificationSettings {
  readonly mail: MailSettings | null;
  readonly webhook: WebhookSettings | null;
}

/** That an alert is to be told by a channel, at once or with all others of a day. */
export interface Telling {
  readonly channel: Channel;
  readonly kind: 'alerts' | 'digest';
  readonly at: Date;
}

/** From what needs nothing done to what needs it at once. */
export const severities: readonly AlertSeverity[] = ['info', 'warning', 'critical'];

/** How an alert of this severity, raised at `now`, is told; in no way where nobody asked for it. */
export function tellingsOf(
  { mail, webhook }: NotificationSettings,
  severity: AlertSeverity,
  now: Date,
): readonly Telling[] {
  const reaches = (threshold: AlertSeverity) => severities.indexOf(severity) >= severities.indexOf(threshold);
  const tellings: Telling[] = [];
  if (mail !== null && reaches(mail.threshold)) {
    tellings.push({ channel: 'mail', kind: 'alerts', at: now });
  } else if (mail !== null && mail.digestMinute !== null) {
    tellings.push({ channel: 'mail', kind: 'digest', at: nextDigest(mail.digestMinute, now) });
  }
  if (webhook !== null && reaches(webhook.threshold)) {
    tellings.push({ channel: 'webhook', kind: 'alerts', at: now });
  }
  return tellings;
}

const DAY_MILLISECONDS = 86_400_000;

/** The first moment after `now` at that minute of the UTC day. */
export function nextDigest(minute: number, now: Date): Date {
  const today = Math.floor(now.getTime() / DAY_MILLISECONDS) * DAY_MILLISECONDS + minute * 60_000;
  return new Date(today > now.getTime() ? today : today + DAY_MILLISECONDS);
}
