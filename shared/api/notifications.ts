/** The requests to the webhooks of organizations. */
import * as z from 'zod/mini';
import { alert } from '../alerts/alert.ts';
import { event } from '../alerts/event.ts';
import { standardHeader, webhookHeader } from '../notify/webhook-headers.ts';
import { described, timestamp, uuid } from '../protocol/schema.ts';

export const notificationKind = described(
  z.enum(['alerts', 'test']),
  '`alerts`: new alerts. `test`: a test notification without alerts',
);

export const webhookBody = z.object({
  version: described(z.literal(1), 'Format version; it changes only for incompatible changes'),
  id: described(
    uuid,
    `ID of the delivery, the same in every attempt; also in the header ${webhookHeader.delivery}`,
  ),
  kind: notificationKind,
  organization: described(z.string(), 'Name of the organization', 'default'),
  createdAt: described(timestamp, 'When the notification was created'),
  alerts: described(z.array(alert).check(z.maxLength(50)), 'The alerts; empty in a test'),
  events: described(
    z.optional(z.array(event).check(z.maxLength(50))),
    'Events that `PUT /api/v1/notifications` switched on; only if there are any',
  ),
});

const timestampHeader = described(
  z.string(),
  'Time of the attempt, as a Unix timestamp in seconds',
  '1767225600',
);

export const webhookHeaders = z.object({
  [standardHeader.id]: described(uuid, 'ID of the delivery, the same in every attempt'),
  [standardHeader.timestamp]: timestampHeader,
  [standardHeader.signature]: described(
    z.string(),
    '`v1,`, followed by the HMAC-SHA256 in base64 of the ID, the timestamp and the body, joined by periods, with the base64-decoded part of the webhook secret after `whsec_` as the key (Standard Webhooks)',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  [webhookHeader.delivery]: described(uuid, 'ID of the delivery, the same in every attempt'),
  [webhookHeader.timestamp]: timestampHeader,
  [webhookHeader.signature]: described(
    z.string(),
    '`v1=`, followed by the HMAC-SHA256 in hexadecimal of the timestamp, a period, and the body, with the webhook secret as the key',
    'v1=5d41402abc4b2a76b9719d911017c592ae2fcde0f1a3c4b5d6e7f8091a2b3c4d',
  ),
});
