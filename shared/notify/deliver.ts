/**
 * One delivery attempt. The worker takes a lease on the delivery and marks it as finished, so a queue message that
 * arrives twice is delivered once. If a worker dies after the recipient accepted the notification but before it is
 * marked, it is sent again with the same delivery id: at-least-once delivery, because a lost alert is worse than a
 * duplicate.
 */

import type { Alert } from '../alerts/alert.ts';
import {
  type Channel,
  digestScheduleOf,
  isAtLeast,
  isPagerFormat,
  isSiemFormat,
  type MailSettings,
  type WebhookSettings,
} from '../alerts/notification.ts';
import { aboutNothing } from '../attention/kinds.ts';
import type { WebAnswer, WebPoster } from '../network/ports.ts';
import { semaphore } from '../network/semaphore.ts';
import { printable } from '../protocol/printable.ts';
import type { AlertStore } from '../store/alerts/alerts.ts';
import type { ChannelStore, OpenedTarget } from '../store/alerts/channels.ts';
import type { DeliveryStore } from '../store/alerts/deliveries.ts';
import type { Delivery, Lease } from '../store/alerts/delivery.ts';
import type { StoredSettings } from '../store/alerts/notification-settings.ts';
import type { AttentionChanges } from '../store/attention-changes.ts';
import type { DomainStore } from '../store/domains/domains.ts';
import type { OrganizationStore } from '../store/organizations.ts';
import { type EventSink, isForSink } from './event-sink.ts';
import { eachForMember } from './for-members.ts';
import { alertMail, type Mail, MailRefused } from './mail.ts';
import { type PagerRequest, pagerRequests } from './pagers.ts';
import { parseRecipient } from './recipient.ts';
import { MAX_INTERRUPTIONS } from './retry.ts';
import { siemTarget } from './siem.ts';
import { unsubscribePath } from './unsubscribe.ts';
import { webhookRequest } from './webhook.ts';
import type { WriteDigest } from './write-digest.ts';

export interface DeliverDependencies {
  readonly deliveries: Pick<DeliveryStore, 'claim' | 'finish' | 'fail' | 'giveUp' | 'createOnce'>;
  readonly settings: Pick<
    ChannelStore,
    'get' | 'targetOf' | 'disableWebhook' | 'noteDelivery' | 'makeUnsubscribeKey'
  >;
  readonly alerts: Pick<AlertStore, 'get'>;
  readonly domains: Pick<DomainStore, 'get'>;
  readonly organizations: Pick<OrganizationStore, 'paused'>;
  readonly attention: Pick<AttentionChanges, 'openChannel' | 'closeChannel'>;
  /** Sends a mail, or throws, perhaps MailRefused; undefined if the service sends no mail. */
  readonly sendMail: ((mail: Mail) => Promise<void>) | undefined;
  readonly poster: WebPoster;
  /** Where webhooks to its host go; undefined if the operator has none. */
  readonly sink?: EventSink | undefined;
  readonly hostUrl: string;
  /** Domains whose mail this service receives. */
  readonly ownDomains: readonly string[];
  /** Only in the worker of digests. */
  readonly writeDigest?: WriteDigest | undefined;
}

/** The outcome of an attempt, and the reason; `switched-off`: the webhook returned 410 Gone. */
type DeliveryOutcome =
  | ({
      readonly channel: Channel;
      readonly organization: string;
      readonly correlations?: readonly string[];
    } & (Settled | Failed | GivenUp))
  /** Nothing to do: the delivery is done, or a later message requests the next attempt. */
  | { readonly status: 'not-due' }
  /** The delivery was given up earlier, so the message goes to the dead-letter queue. */
  | { readonly status: 'given-up-earlier' };

/** Where an attempt sent the delivery: a mail address or the host of a webhook. */
interface Sent {
  readonly sentTo?: string;
}

type Settled = Sent &
  (
    | { readonly status: 'delivered'; readonly reason?: undefined }
    | { readonly status: 'dropped' | 'switched-off'; readonly reason: string }
  );

interface Failed extends Sent {
  readonly status: 'failed';
  readonly reason: string;
  /** Seconds from now until the next attempt is due. */
  readonly retrySeconds: number;
}

interface GivenUp extends Sent {
  readonly status: 'given-up';
  readonly reason: string;
}

interface DeliveryRequest {
  readonly id: string;
  /** When the message that requests the attempt was sent. */
  readonly sentAt: Date;
  readonly now: Date;
  /** The pause after each failed attempt but the last, in seconds. */
  readonly retrySeconds: readonly number[];
}

/** Longer than a worker can take: a worker that held a delivery for this long has ended. */
export const LEASE_SECONDS = 35;

/** Others decide what a reason quotes. */
const MAX_REASON = 200;

const WEBHOOK_MILLISECONDS = 10_000;

/** Makes one attempt. @throws whatever the stores throw. */
export async function deliver(request: DeliveryRequest, deps: DeliverDependencies): Promise<DeliveryOutcome> {
  const { id, sentAt, now } = request;
  const { deliveries, settings } = deps;
  const claimed = await deliveries.claim(id, { now, leaseSeconds: LEASE_SECONDS, sentAt });
  if (claimed.status === 'given-up') return { status: 'given-up-earlier' };
  if (claimed.status === 'not-due') return { status: 'not-due' };
  const { lease } = claimed;
  const { sentTo, ...outcome } = await outcomeOf(lease, deps, request);
  // What a member has mailed says nothing about the channel of the organization.
  const { member, members } = lease.delivery;
  const isForOrganization = member === undefined && members === undefined;
  if (isForOrganization) await noteChannelHealth(lease.delivery, outcome, deps, now);
  if (outcome.status === 'failed') {
    const nextAt = new Date(now.getTime() + outcome.retrySeconds * 1000);
    await deliveries.fail(lease, { reason: outcome.reason, nextAt, sentTo });
  } else if (outcome.status === 'given-up') {
    await deliveries.giveUp(lease, { reason: outcome.reason, sentTo }, now);
  } else {
    await deliveries.finish(lease, { outcome: outcome.status, reason: outcome.reason, sentTo }, now);
  }
  const { channel, organization, correlations } = lease.delivery;
  const { status, reason = null } = outcome;
  const last = { at: now.toISOString(), status, reason };
  if (isForOrganization) await settings.noteDelivery(organization, channel, last);
  return { channel, organization, ...(correlations && { correlations }), ...outcome };
}

/**
 * Opens the attention item of a channel that does not deliver, or closes it. Before the outcome is stored: if a crash comes
 * between them, the attempt is repeated, and so is this.
 */
async function noteChannelHealth(
  { organization, channel }: Lease['delivery'],
  outcome: Settled | Failed | GivenUp,
  { attention }: DeliverDependencies,
  now: Date,
): Promise<void> {
  const item = { channel, kind: 'channel-failing' } as const;
  if (outcome.status === 'given-up') {
    const reason = printable(outcome.reason, MAX_REASON);
    const held = { since: now.toISOString(), about: { ...aboutNothing, reason } };
    await attention.openChannel(organization, item, held, now);
  } else if (outcome.status === 'delivered' || outcome.status === 'switched-off') {
    await attention.closeChannel(organization, item, now);
  }
}

async function outcomeOf(
  { delivery, failures, interruptions }: Lease,
  deps: DeliverDependencies,
  { now, retrySeconds }: DeliveryRequest,
): Promise<Settled | Failed | GivenUp> {
  if (interruptions > MAX_INTERRUPTIONS) {
    return { status: 'given-up', reason: `${interruptions} attempts ended before they had an outcome` };
  }
  const result = await attempt(delivery, deps, now);
  if (result.status !== 'failed') return result;
  const seconds = retrySeconds[failures];
  return seconds === undefined ? { ...result, status: 'given-up' } : { ...result, retrySeconds: seconds };
}

type Attempt = Settled | GivenUp | Omit<Failed, 'retrySeconds'>;

async function attempt(delivery: Delivery, deps: DeliverDependencies, now: Date): Promise<Attempt> {
  if ((await deps.organizations.paused([delivery.organization])).size > 0)
    return { status: 'dropped', reason: 'the operator has paused the organization' };
  const settings = await deps.settings.get(delivery.organization);
  if (delivery.kind === 'digest') return digestAttempt(delivery, settings, deps, now);
  if (delivery.members !== undefined) {
    // What gathers alerts was interrupted, and queues those that this creates.
    await eachForMember(delivery, settings.people, deps.deliveries);
    return { status: 'delivered' };
  }
  const { mail, webhook } = settings;
  const found = await Promise.all(
    delivery.alerts.map(({ domainId, id }) => deps.alerts.get(domainId, id, now)),
  );
  const alerts = found.filter((alert) => alert !== undefined);
  if (alerts.length === 0 && delivery.events.length === 0 && delivery.kind !== 'test') {
    return { status: 'dropped', reason: 'the domains of these alerts were removed' };
  }
  if (delivery.member !== undefined) return memberAttempt(delivery, alerts, settings, deps);
  if (delivery.channel === 'mail') {
    if (mail === null) return { status: 'dropped', reason: 'mail notifications were turned off' };
    return byMail(mail, deps, (to) => alertMail(delivery, alerts, { to, hostUrl: deps.hostUrl }));
  }
  if (webhook === null) return { status: 'dropped', reason: 'webhook notifications were turned off' };
  const target = await deps.settings.targetOf(delivery.organization, webhook);
  if (target === undefined) return { status: 'failed', reason: 'the webhook was changed at that moment' };
  const sentTo = new URL(target.url).host;
  return { ...(await byWebhook(delivery, alerts, { ...webhook, ...target }, deps, now)), sentTo };
}

/** A mail to a member, of the severity that they chose, and about the domains that have one of their tags. */
async function memberAttempt(
  delivery: Delivery,
  alerts: readonly Alert[],
  { people }: Pick<StoredSettings, 'people'>,
  deps: DeliverDependencies,
): Promise<Attempt> {
  const { organization, member = '' } = delivery;
  const own = people[member];
  if (own === undefined) return { status: 'dropped', reason: 'the member turned these mails off' };
  const severe = alerts.filter(({ severity }) => isAtLeast(severity, own.threshold));
  const ids = [...new Set(severe.map(({ domainId }) => domainId))];
  const domains = await Promise.all(ids.map((id) => deps.domains.get(organization, id)));
  const wanted = new Set(
    domains.flatMap((domain) =>
      domain && (own.tags.length === 0 || domain.tags.some((tag) => own.tags.includes(tag))) ? domain.id : [],
    ),
  );
  const shown = severe.filter(({ domainId }) => wanted.has(domainId));
  if (shown.length === 0)
    return {
      status: 'dropped',
      reason: 'none of these alerts is one that the member chose, by severity and tags',
    };
  // Others that are only counted can be about any domain.
  const content =
    own.tags.length === 0 ? delivery : { ...delivery, further: { info: 0, warning: 0, critical: 0 } };
  return byMail(own, deps, (to) => alertMail(content, shown, { to, hostUrl: deps.hostUrl }));
}

/** The content of a digest is read at each attempt, so that a late one is up to date. */
async function digestAttempt(
  delivery: Delivery,
  { mail, unsubscribeKey }: StoredSettings,
  deps: DeliverDependencies,
  now: Date,
): Promise<Attempt> {
  const { hostUrl, settings, writeDigest } = deps;
  const schedule = digestScheduleOf(mail);
  if (mail === null || schedule === null) return { status: 'dropped', reason: 'the digest was turned off' };
  if (writeDigest === undefined) throw new Error('a digest is in the queue of other notifications');
  const key = unsubscribeKey ?? (await settings.makeUnsubscribeKey(delivery.organization));
  const unsubscribeUrl = `${hostUrl}${unsubscribePath(delivery.organization, key, mail.address)}`;
  const often = schedule.weekday === null ? 'daily' : 'weekly';
  return byMail(mail, deps, (to) => writeDigest(delivery, { to, often, hostUrl, unsubscribeUrl }, now));
}

const NO_SENDER = 'the operator of the service has not set a sender address (ALERT_SENDER)';

/** `write` returns undefined if there is nothing to write about. */
async function byMail(
  { address }: Pick<MailSettings, 'address'>,
  { sendMail, ownDomains }: DeliverDependencies,
  write: (to: string) => Promise<Mail | undefined>,
): Promise<Attempt> {
  const sentTo = address;
  if (sendMail === undefined) return { status: 'dropped', reason: NO_SENDER, sentTo };
  const recipient = parseRecipient(address, ownDomains);
  if (!recipient.ok)
    return { status: 'dropped', reason: `the address was rejected: ${recipient.problem}`, sentTo };
  const mail = await write(recipient.address);
  if (mail === undefined) return { status: 'dropped', reason: 'the organization has no domain', sentTo };
  try {
    await sendMail(mail);
    return { status: 'delivered', sentTo };
  } catch (error) {
    const isFinal = error instanceof MailRefused && error.isPermanent;
    const why = printable(error instanceof MailRefused ? error.message : (error as Error).name, MAX_REASON);
    return { status: isFinal ? 'given-up' : 'failed', reason: `sending the mail failed: ${why}`, sentTo };
  }
}

async function byWebhook(
  delivery: Delivery,
  alerts: readonly Alert[],
  webhook: Pick<WebhookSettings, 'format'> & OpenedTarget,
  { settings, poster, sink, hostUrl }: DeliverDependencies,
  now: Date,
): Promise<Attempt> {
  const { format } = webhook;
  if (isPagerFormat(format))
    return byPager(pagerRequests(delivery, alerts, { ...webhook, format, hostUrl }), poster);
  const { headers, body } = webhookRequest(delivery, alerts, { ...webhook, format, hostUrl, now });
  if (sink !== undefined && isForSink(webhook.url)) {
    try {
      await sink({ id: delivery.id, body });
      return { status: 'delivered' };
    } catch (error) {
      const why = printable((error as Error).message, MAX_REASON);
      return { status: 'failed', reason: `the events of the service cannot be written: ${why}` };
    }
  }
  const target = isSiemFormat(format) ? siemTarget(webhook.url, format) : { url: webhook.url, headers: {} };
  const answer = await poster.post({
    url: target.url,
    headers: { ...headers, ...target.headers },
    body,
    timeoutMilliseconds: WEBHOOK_MILLISECONDS,
  });
  return attemptOf(answer, webhook.url, () => settings.disableWebhook(delivery.organization, webhook));
}

/** Requests to a pager that are sent at once, so that the most of a delivery end before its lease does. */
const PAGED_AT_ONCE = 25;
const PAGER_MILLISECONDS = 5_000;

/** Sends all of them, or fails: what is sent again with the same key changes nothing. */
async function byPager(requests: readonly PagerRequest[], poster: WebPoster): Promise<Attempt> {
  if (requests.length === 0)
    return { status: 'dropped', reason: 'none of its events is an incident, or the end of one' };
  const inTurn = semaphore(PAGED_AT_ONCE);
  const attempts = await Promise.all(
    requests.map((request) =>
      inTurn(async () => {
        return attemptOf(
          await poster.post({ ...request, timeoutMilliseconds: PAGER_MILLISECONDS }),
          request.url,
        );
      }),
    ),
  );
  return attempts.find(({ status }) => status !== 'delivered') ?? { status: 'delivered' };
}

/** What an answer means; `disable` turns off a webhook that is gone. */
async function attemptOf(answer: WebAnswer, url: string, disable?: () => Promise<void>): Promise<Attempt> {
  if (answer.status === 'absent')
    return { status: 'failed', reason: `the host ${new URL(url).hostname} has no address in the DNS` };
  if (answer.status !== 'found') return { status: 'failed', reason: `${answer.status}: ${answer.reason}` };
  const { httpStatus } = answer;
  if (httpStatus >= 200 && httpStatus < 300) return { status: 'delivered' };
  // RFC 9110 section 15.5.11: permanently gone.
  if (httpStatus === 410 && disable !== undefined) {
    await disable();
    return { status: 'switched-off', reason: 'the webhook returned 410 Gone' };
  }
  return { status: 'failed', reason: `the webhook returned ${httpStatus}` };
}
