/**
 * One attempt at a delivery. Who takes it holds it for a while, and marks it when it is over; so a message that comes
 * twice is delivered once. A worker that dies after the other side has accepted and before it could mark that will
 * have the same told again, by mail and by webhook: rather twice than never, for alerts are about what is broken. The
 * second one carries the same delivery id.
 */
import type { Channel } from '../alerts/notification.ts';
import type { WebPoster } from '../network/ports.ts';
import type { Alert, AlertStore } from '../store/alerts/alerts.ts';
import type { Delivery, DeliveryStore } from '../store/alerts/deliveries.ts';
import type { NotificationSettingsStore } from '../store/alerts/notification-settings.ts';
import { alertMail, type Mail } from './mail.ts';
import { parseRecipient } from './recipient.ts';
import { webhookRequest } from './webhook.ts';

export interface DeliverParts {
  readonly deliveries: Pick<DeliveryStore, 'take' | 'finish'>;
  readonly settings: Pick<NotificationSettingsStore, 'get' | 'endWebhook' | 'noteDelivery'>;
  readonly alerts: Pick<AlertStore, 'get'>;
  /** Hands a mail over to be sent, or throws; undefined where this service sends no mail. */
  readonly sendMail: ((mail: Mail) => Promise<void>) | undefined;
  readonly poster: WebPoster;
  readonly hostUrl: string;
  /** Domains whose mail this service receives. */
  readonly ownDomains: readonly string[];
}

/** What became of an attempt, and why; `switched-off` is a webhook that said it is gone. */
export type DeliveryOutcome =
  | ({ readonly channel: Channel; readonly organization: string } & Attempt)
  | { readonly status: 'over' }
  | { readonly status: 'busy'; readonly until: Date };

/** Longer than an attempt can take, and over before the next one. */
const LEASE_SECONDS = 45;

const WEBHOOK_MILLISECONDS = 10_000;

/** Tries once; throws what our own stores throw. */
export async function deliver(id: string, parts: DeliverParts, now: Date): Promise<DeliveryOutcome> {
  const taken = await parts.deliveries.take(id, now, LEASE_SECONDS);
  if (taken.status === 'done') return { status: 'over' };
  if (taken.status === 'busy') return taken;
  const { delivery } = taken;
  const outcome = await attempt(delivery, parts, now);
  if (outcome.status !== 'failed') await parts.deliveries.finish(id, outcome.status, now);
  const { channel, organization } = delivery;
  const { status, reason = null } = outcome;
  await parts.settings.noteDelivery(organization, channel, { at: now.toISOString(), status, reason });
  return { channel, organization, ...outcome };
}

type Attempt =
  | { readonly status: 'delivered'; readonly reason?: undefined }
  | { readonly status: 'dropped' | 'switched-off' | 'failed'; readonly reason: string };

async function attempt(delivery: Delivery, parts: DeliverParts, now: Date): Promise<Attempt> {
  const found = await Promise.all(
    delivery.alerts.map(({ domainId, id }) => parts.alerts.get(domainId, id, now)),
  );
  const alerts = found.filter((alert) => alert !== undefined);
  if (alerts.length === 0 && delivery.kind !== 'test') {
    return { status: 'dropped', reason: 'the domains that it is about were removed' };
  }
  return delivery.channel === 'mail'
    ? byMail(delivery, alerts, parts)
    : byWebhook(delivery, alerts, parts, now);
}

async function byMail(delivery: Delivery, alerts: readonly Alert[], parts: DeliverParts): Promise<Attempt> {
  const { mail } = await parts.settings.get(delivery.organization);
  if (mail === null) return { status: 'dropped', reason: 'the organization wants no mail any more' };
  if (parts.sendMail === undefined) return { status: 'dropped', reason: 'ALERT_SENDER is not set' };
  const recipient = parseRecipient(mail.address, parts.ownDomains);
  if (!recipient.ok) return { status: 'dropped', reason: `the address is refused: ${recipient.problem}` };
  try {
    const { hostUrl } = parts;
    await parts.sendMail(await alertMail(delivery, alerts, { to: recipient.address, hostUrl }));
    return { status: 'delivered' };
  } catch (error) {
    return { status: 'failed', reason: `the mail was not taken: ${(error as Error).name}` };
  }
}

async function byWebhook(
  delivery: Delivery,
  alerts: readonly Alert[],
  { settings, poster }: DeliverParts,
  now: Date,
): Promise<Attempt> {
  const { webhook } = await settings.get(delivery.organization);
  if (webhook === null) return { status: 'dropped', reason: 'the organization has no webhook any more' };
  const answer = await poster.post({
    url: webhook.url,
    ...webhookRequest(delivery, alerts, { secret: webhook.secret, now }),
    timeoutMilliseconds: WEBHOOK_MILLISECONDS,
  });
  if (answer.status !== 'found') return { status: 'failed', reason: `${answer.status}: ${answer.reason}` };
  const { httpStatus } = answer;
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'delivered' };
  // RFC 9110 section 15.5.11: gone for good.
  if (httpStatus === 410) {
    await settings.endWebhook(delivery.organization, webhook);
    return { status: 'switched-off', reason: 'the webhook answered 410 Gone' };
  }
  return { status: 'failed', reason: `the webhook answered ${httpStatus}` };
}
