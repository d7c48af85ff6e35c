/**
 * Pending notifications: one item per alert or event, and channel, that says when to send it. The item is written in the
 * transaction that raises the alert or stores what the event is about, and removed in the transaction that makes a delivery of it (`deliveries.ts`). Every one is
 * therefore in at most one delivery, and none is lost.
 */

import * as z from 'zod/mini';
import {
  type AttentionEvent,
  type DomainEvent,
  type Event,
  type EventDraft,
  event,
  eventKinds,
  type OrganizationEvent,
  type TokenEvent,
} from '../../alerts/event.ts';
import {
  type Channel,
  channel,
  channelsOfEvent,
  type DueNotification,
  type NotificationSettings,
  notificationKind,
  severities,
} from '../../alerts/notification.ts';
import { textOf } from '../../attention/kinds.ts';
import { correlationId } from '../../network/correlation.ts';
import type { TokenInfo } from '../api-tokens.ts';
import { type AttentionItem, attentionIdOf } from '../attention-items.ts';
import { changing } from '../changes.ts';
import type { Domain } from '../domains/domain.ts';
import { dueInShards } from '../due-index.ts';
import { isOfOtherKind, unlessOther } from '../item-schema.ts';
import { PRESENT } from '../items.ts';
import {
  type Key,
  organizationPendingKey,
  pendingDueBy,
  pendingIndexKey,
  pendingKey,
  pendingTime,
} from '../keys.ts';
import type { Table, Write } from '../table.ts';
import { newId } from '../time-ids.ts';
import { latestTime } from '../wrong-clock.ts';
import { LONGEST_DIGEST_SECONDS, LONGEST_PAUSE_SECONDS } from './longest-waits.ts';

const content = z.pipe(
  z.object({
    organization: z.string(),
    /** The domain that it is about; none if it is about the organization. */
    domainId: z.optional(z.string()),
    /** The id of the alert or event. */
    alert: z.string(),
    severity: z.enum(severities),
    channel,
    /** Whether it is for the members who have alerts mailed to them; otherwise for the organization. */
    to: z.optional(z.literal('members')),
    kind: notificationKind,
    /** The event, if it is one. */
    event: z.optional(event),
    /** The ID of what raised it, for log lines. */
    correlation: z.optional(z.string()),
  }),
  z.transform(({ domainId, event, ...item }, context) => {
    if (domainId !== undefined && event?.type !== 'token.created')
      return { ...item, domainId, ...(event !== undefined && { event }) };
    if (domainId === undefined && event !== undefined && isOfOrganization(event))
      return { ...item, domainId, event };
    context.issues.push({ code: 'custom', message: 'is of another kind', input: event, path: ['event'] });
    return z.NEVER;
  }),
);

export type PendingNotification = Readonly<z.infer<typeof content>>;

const pendingItem = unlessOther((item) => isOfOtherKind(item.event, eventKinds), content);

const isOfOrganization = (event: Event): event is OrganizationEvent =>
  event.type === 'token.created' || 'attentionId' in event;

/** Of what a notification is, before it has a channel and a time. */
type Subject<P> = P extends unknown ? Omit<P, keyof DueNotification> : never;

export type PendingNotificationStore = ReturnType<typeof pendingNotificationStore>;

/** How long a notification waits at most. */
const LONGEST_SECONDS = { alerts: LONGEST_PAUSE_SECONDS, digest: LONGEST_DIGEST_SECONDS } as const;

/** The number of concurrent writes. */
const AT_ONCE = 25;

/** The writes that make an alert pending. */
export function pendingWrites(
  subject: Subject<PendingNotification>,
  notifications: readonly DueNotification[],
): Write[] {
  const correlation = correlationId();
  return notifications.map(({ channel, to, kind, at }) => ({
    Put: {
      Item: {
        ...keyOf(subject, { channel, to }),
        ...pendingIndexKey(kind, subject.organization, at.toISOString()),
        ...subject,
        ...{ channel, to, kind, correlation },
      },
    },
  }));
}

/** The writes that make an event pending on the channels on which the organization receives such events. */
export function eventWrites(
  domain: Pick<Domain, 'organization' | 'id' | 'domain'>,
  draft: EventDraft,
  settings: NotificationSettings,
  now: Date,
): Write[] {
  const identity = identityOf(now);
  const event: DomainEvent = { ...draft, ...identity, domainId: domain.id, domainName: domain.domain };
  return pendingWrites(
    { organization: domain.organization, domainId: domain.id, alert: identity.id, severity: 'info', event },
    channelsOfEvent(settings, draft.type).map(atOnce(now)),
  );
}

/** The writes that make the event of an attention item pending. A channel that fails is not sent events about itself. */
export function attentionEventWrites(
  type: AttentionEvent['type'],
  organization: string,
  item: AttentionItem,
  settings: NotificationSettings,
  now: Date,
): Write[] {
  const channels = channelsOfEvent(settings, type).filter((channel) => channel !== item.channel);
  if (channels.length === 0) return [];
  const { domainId, domain, kind, severity, since } = item;
  const { title, detail } = textOf(item);
  const identity = identityOf(now);
  const event: AttentionEvent = {
    ...{ type, ...identity, domainId, domainName: domain },
    ...{ attentionId: attentionIdOf(item), kind, severity, since, title, detail },
  };
  return pendingWrites(
    { organization, domainId: domainId ?? undefined, alert: identity.id, severity, event },
    channels.map(atOnce(now)),
  );
}

/** What a notification says about a new token. */
type NewToken = Pick<TokenInfo, 'id' | 'organization' | 'name' | 'scope'>;

/**
 * The writes that make the event of a new token pending: for the webhook, if it receives such events, and for the mail
 * channel, if the token has the scope `admin`, as it can do everything, and create further ones.
 * @param creator The token that created it; null for an operator.
 */
export function tokenCreatedWrites(
  { id: tokenId, organization, name: tokenName, scope }: NewToken,
  creator: Pick<TokenInfo, 'id' | 'name'> | null,
  settings: NotificationSettings,
  now: Date,
): Write[] {
  const identity = identityOf(now);
  const createdBy = creator && { id: creator.id, name: creator.name };
  const event: TokenEvent = { type: 'token.created', ...identity, tokenId, tokenName, scope, createdBy };
  const channels = channelsOfEvent(settings, event.type).filter(
    (channel) => channel !== 'mail' || scope === 'admin',
  );
  return pendingWrites(
    { organization, domainId: undefined, alert: identity.id, severity: 'warning', event },
    channels.map(atOnce(now)),
  );
}

const identityOf = (now: Date) => ({ id: newId(now), createdAt: now.toISOString() });

const atOnce =
  (at: Date) =>
  (channel: Channel): DueNotification => ({ channel, kind: 'alerts', at });

/** The writes that remove pending alerts. They fail if one of the alerts is no longer pending. */
export function pendingRemovals(pending: readonly PendingNotification[]): Write[] {
  return pending.map((one) => ({ Delete: { Key: keyOf(one, one), ...PRESENT } }));
}

export function pendingNotificationStore(table: Table) {
  return {
    ...dueInShards(table, pendingDueBy, pendingItem, (kind, now) =>
      latestTime(now, LONGEST_SECONDS[kind] * 1000),
    ),

    /** Postpones alerts that are still pending. */
    async postpone(pending: readonly PendingNotification[], until: Date): Promise<void> {
      await each(pending, (key, { organization }) =>
        table.update(key, changing({ gsi1sk: pendingTime(until.toISOString(), organization) }, PRESENT)),
      );
    },

    /** Removes pending alerts that no channel wants any more. */
    async remove(pending: readonly PendingNotification[]): Promise<void> {
      await each(pending, (key) => table.delete(key));
    },
  };
}

const keyOf = (
  { organization, domainId, alert }: Pick<PendingNotification, 'organization' | 'domainId' | 'alert'>,
  way: { readonly channel: Channel; readonly to?: 'members' | undefined },
): Key => {
  const channel = way.to === undefined ? way.channel : `${way.channel} ${way.to}`;
  return domainId === undefined
    ? organizationPendingKey(organization, channel, alert)
    : pendingKey(domainId, channel, alert);
};

/** Makes one write per alert, a few at a time. */
async function each(
  pending: readonly PendingNotification[],
  write: (key: Key, one: PendingNotification) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < pending.length; at += AT_ONCE) {
    await Promise.all(pending.slice(at, at + AT_ONCE).map((one) => write(keyOf(one, one), one)));
  }
}
