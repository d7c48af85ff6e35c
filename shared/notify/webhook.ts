/**
 * A request to an organization's webhook. Its body is described as a webhook of the OpenAPI document; its signature is
 * an HMAC-SHA256 (RFC 2104) over the time at which it was sent and the body.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Alert } from '../store/alerts/alerts.ts';
import type { Delivery } from '../store/alerts/deliveries.ts';

/** The form of the body; another number means that receivers have to change something. */
const VERSION = 1;

/** Names of the headers; the id is that of the delivery at every attempt, so that receivers know one again. */
export const webhookHeader = {
  delivery: 'X-Domain-Monitor-Delivery',
  timestamp: 'X-Domain-Monitor-Timestamp',
  signature: 'X-Domain-Monitor-Signature',
} as const;

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function webhookRequest(
  { id, organization, kind, createdAt }: Delivery,
  alerts: readonly Alert[],
  { secret, now }: { secret: string; now: Date },
): WebhookRequest {
  const body = JSON.stringify({
    version: VERSION,
    id,
    kind,
    organization,
    createdAt,
    // Whether an alert was read is known to the API; here it would be out of date.
    alerts: alerts.map(({ read: _read, ...told }) => told),
  });
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    headers: {
      'Content-Type': 'application/json',
      [webhookHeader.delivery]: id,
      [webhookHeader.timestamp]: timestamp,
      [webhookHeader.signature]: signature(secret, timestamp, body),
    },
    body,
  };
}

function signature(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** 256 random bits. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`;

const MAX_URL = 2048;

/** A webhook's URL in its one form, or what is wrong with it. Where it leads is judged when it is dialled. */
export function parseWebhookUrl(text: string): { ok: true; url: string } | { ok: false; problem: string } {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return { ok: false, problem: 'it is not an https URL' };
  if (url.username !== '' || url.password !== '') return { ok: false, problem: 'it holds credentials' };
  url.hash = '';
  if (url.href.length > MAX_URL) return { ok: false, problem: `it is longer than ${MAX_URL} characters` };
  return { ok: true, url: url.href };
}
