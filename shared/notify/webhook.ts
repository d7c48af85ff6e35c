/**
 * A request to an organization's webhook. The OpenAPI document describes its body under `webhooks`. It has two signatures: that
 * of Standard Webhooks, and our own, an HMAC-SHA256 (RFC 2104) of the timestamp and the body.
 */
import { createHmac } from 'node:crypto';
import type { Alert } from '../alerts/alert.ts';
import {
  isSiemFormat,
  type PagerFormat,
  type WebhookFormat,
  type WebhookTarget,
} from '../alerts/notification.ts';
import type { Delivery } from '../store/alerts/delivery.ts';
import { slackMessage, teamsMessage } from './chat.ts';
import { contentOf } from './content.ts';
import { siemBody } from './siem.ts';
import { standardHeader, webhookHeader } from './webhook-headers.ts';
import { webhookKey } from './webhook-target.ts';

/** The format version of the body; it changes only when receivers have to change. */
const VERSION = 1;

interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What requests depend on besides their delivery. */
interface Receiver extends Pick<WebhookTarget, 'secret'> {
  readonly format: Exclude<WebhookFormat, PagerFormat>;
  readonly hostUrl: string;
  readonly now: Date;
}

export function webhookRequest(
  delivery: Delivery,
  alerts: readonly Alert[],
  { secret, format, hostUrl, now }: Receiver,
): WebhookRequest {
  const body = isSiemFormat(format)
    ? siemBody(delivery, alerts, format, { hostUrl })
    : JSON.stringify(
        format === 'json' ? ownFormat(delivery, alerts) : chat[format](contentOf(delivery, alerts, hostUrl)),
      );
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    headers: {
      'Content-Type': 'application/json',
      [standardHeader.id]: delivery.id,
      [standardHeader.timestamp]: timestamp,
      [standardHeader.signature]: standardSignature(secret, `${delivery.id}.${timestamp}.${body}`),
      [webhookHeader.delivery]: delivery.id,
      [webhookHeader.timestamp]: timestamp,
      [webhookHeader.signature]: signature(secret, timestamp, body),
    },
    body,
  };
}

const chat = { slack: slackMessage, teams: teamsMessage };

/** `events` is left out if there are none, as for receivers that did not switch them on. */
function ownFormat({ id, organization, kind, createdAt, events }: Delivery, alerts: readonly Alert[]) {
  return {
    version: VERSION,
    id,
    kind,
    organization,
    createdAt,
    // As they were raised: the body is the same in every attempt.
    alerts: alerts.map((one) => ({ ...one, read: false })),
    ...(events.length > 0 && { events }),
  };
}

/** The signature of Standard Webhooks, of `<id>.<seconds>.<body>`. */
export const standardSignature = (secret: string, signed: string): string =>
  `v1,${createHmac('sha256', webhookKey(secret)).update(signed).digest('base64')}`;

function signature(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
