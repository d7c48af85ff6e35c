/** What organizations are told by their webhooks. */
import * as z from 'zod/mini';
import { webhookHeader } from '../notify/webhook.ts';
import { alert } from './alerts.ts';
import { described, timestamp, uuid } from './common.ts';

/** An alert as it is when it is told: nobody can have read it. */
const toldAlert = z.union(alert.def.options.map((option) => z.omit(option, { read: true })));

export const webhookBody = z.object({
  version: described(z.literal(1), 'Another number means that receivers have to change something'),
  id: described(uuid, `The delivery, the same at every attempt; also in ${webhookHeader.delivery}`),
  kind: described(z.enum(['alerts', 'test']), 'A test holds no alerts'),
  organization: z.string(),
  createdAt: timestamp,
  alerts: z.array(toldAlert).check(z.maxLength(50)),
});

export const webhookHeaders = z.object({
  [webhookHeader.delivery]: described(uuid, 'The delivery, the same at every attempt'),
  [webhookHeader.timestamp]: described(z.string(), 'When the request was sent, in seconds since 1970'),
  [webhookHeader.signature]: described(
    z.string(),
    'v1= and, in hexadecimal, the HMAC-SHA256 over timestamp, a full stop and the body, by the secret of the webhook',
  ),
});
