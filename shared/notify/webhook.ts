/**
 * A request to an organization's webhook. The OpenAPI document describes its body under `webhooks`; its signature is an
 * HMAC-SHA256 (RFC 2104) of the timestamp and the body.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Alert } from '../alerts/alert.ts';
import type { Delivery } from '../store/alerts/delivery.ts';

/** The format version of the body; it changes only when receivers have to change. */
const VERSION = 1;

/** Header names. The delivery id is the same in every attempt, so that receivers can detect duplicates. */
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
    // `read` changes later; receivers can get it from the API.
    alerts: alerts.map(({ read: _read, ...delivered }) => delivered),
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

/** A webhook's URL in normalized form, or what is wrong with it. Its address is checked when it is dialed. */
export function parseWebhookUrl(text: string): { ok: true; url: string } | { ok: false; problem: string } {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return { ok: false, problem: 'it is not an https URL' };
  if (url.username !== '' || url.password !== '') return { ok: false, problem: 'it contains credentials' };
  url.hash = '';
  if (url.href.length > MAX_URL) return { ok: false, problem: `it is longer than ${MAX_URL} characters` };
  return { ok: true, url: url.href };
}
