/** Requests and responses of the endpoints of deliveries. */
import * as z from 'zod/mini';
import { channel, notificationKind } from '../alerts/notification.ts';
import { count, described, oneOf, timestamp, uuid } from '../protocol/schema.ts';
import { type DeliveryWithOutcome, deliveryStatuses } from '../store/alerts/delivery.ts';
import { boundedPagination, continuing } from './common.ts';
import { sinceBeforeUntil, sinceUntil } from './report-queries.ts';

const exampleTime = '2026-01-31T12:00:00.000Z';

export const deliveryKind = described(
  z.enum([...notificationKind.options, 'test']),
  '`alerts`: what was raised since the last one; `digest`: what needs a person and what changed; `test`: nothing',
  'alerts',
);

export const deliveryStatus = described(
  oneOf(deliveryStatuses),
  '`pending`: not tried yet; `failed`: to be tried again; `delivered`; `dropped`: not sent, for example because the channel was turned off or all domains that it is about are gone; `reason` says why; `switched-off`: the webhook answered 410, so it was removed; `given-up`: all attempts failed',
  'delivered',
);

const pagination = boundedPagination(10_000, 'use pageToken, or narrow the list with since and until');

export const deliveriesQuery = z
  .object({
    ...pagination.shape,
    ...continuing.shape,
    ...sinceUntil,
    status: described(z.optional(deliveryStatus), 'Return only deliveries with this status', 'given-up'),
    channel: described(z.optional(channel), 'Return only deliveries by this channel', 'webhook'),
  })
  .check(pagination.check, continuing.check, sinceBeforeUntil);

export const delivery = z.object({
  id: described(
    uuid,
    'ID of the delivery, which requests and mails also carry',
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ),
  createdAt: described(timestamp, 'When it was created; ISO 8601, UTC', exampleTime),
  channel: described(channel, 'How it is sent', 'webhook'),
  kind: deliveryKind,
  sentTo: described(
    z.nullable(z.string()),
    'The mail address or the host of the webhook at the last attempt; `null` before it',
    'hooks.example.org',
  ),
  status: deliveryStatus,
  reason: described(
    z.nullable(z.string()),
    'Why it is not delivered; `null` if it is, or was not tried',
    null,
  ),
  endedAt: described(
    z.nullable(timestamp),
    'When it was delivered, dropped or given up; ISO 8601, UTC',
    exampleTime,
  ),
  nextAttemptAt: described(z.nullable(timestamp), 'When it is tried again; ISO 8601, UTC', null),
  alerts: described(count, 'Number of alerts that it shows or counts; 0 for a digest', 2),
  events: described(count, 'Number of events that it carries', 0),
});

/** A delivery in responses. */
export function showDelivery({
  alerts,
  further,
  events,
  organization: _organization,
  period: _period,
  ...shown
}: DeliveryWithOutcome): z.output<typeof delivery> {
  const counted = Object.values(further).reduce((sum, one) => sum + one, alerts.length);
  return { ...shown, alerts: counted, events: events.length };
}

/** A delivery that was just created. */
export const createdDelivery = z.pick(delivery, { id: true, createdAt: true, channel: true, kind: true });
