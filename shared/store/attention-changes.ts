/**
 * Opens and closes attention items: where a condition is stored, in its transaction; where it is derived from what is
 * stored, after it. Each write has the condition that the item is not there yet, or still there, and the events of the item
 * are in its transaction. So an item opens and closes once, however many workers run, and what a crash prevents happens in
 * the next run.
 */

import { isDeepStrictEqual } from 'node:util';
import type { AlertSeverity } from '../alerts/alert.ts';
import type { AttentionKind, ChannelKind, DomainKind } from '../alerts/attention-kind.ts';
import type { Channel, NotificationSettings } from '../alerts/notification.ts';
import { type About, aboutNothing, isDomainKind, severityOf } from '../attention/kinds.ts';
import type { NotificationSettingsStore } from './alerts/notification-settings.ts';
import { attentionEventWrites } from './alerts/pending.ts';
import {
  type AttentionItem,
  attentionItem,
  type ChannelItem,
  type DomainItem,
  isDomainItem,
  isMailboxItem,
  type MailboxItem,
  orderOf,
  rankOf,
  untouched,
} from './attention-items.ts';
import { having, updateAt } from './changes.ts';
import type { DomainReference } from './domains/domain.ts';
import { ABSENT, PRESENT } from './items.ts';
import {
  attentionIndexKey,
  attentionKey,
  attentionOf,
  channelAttentionKey,
  fetchedMailboxKey,
  type Key,
  mailboxAttentionKey,
} from './keys.ts';
import { startingWith } from './query.ts';
import type { Table, Write } from './table.ts';

/** A condition that holds: since when (ISO 8601), and about what. */
export interface Held {
  readonly since: string;
  readonly about?: About;
  /** By default that of the kind. */
  readonly severity?: AlertSeverity;
}

/** Whether the conditions of some kinds hold; null if one does not. The items of other kinds stay as they are. */
export type Conditions = Readonly<Partial<Record<DomainKind, Held | null>>>;

interface Context {
  /** Where events are sent. */
  readonly settings: NotificationSettings;
  readonly now: Date;
}

/** An item of a kind, before it is about anything and a person puts it off. */
const newItem = <Kind extends AttentionKind>(
  kind: Kind,
  { since, about = aboutNothing, severity = severityOf(kind) }: Held,
) => ({
  ...{ domainId: null, domain: null, channel: null, mailbox: null },
  ...{ kind, severity, since, about, ...untouched },
});

const domainItem = ({ id, domain }: DomainReference, kind: DomainKind, held: Held): DomainItem => ({
  ...newItem(kind, held),
  ...{ domainId: id, domain },
});

function keyOf(organization: string, item: AttentionItem): Key {
  if (isDomainItem(item)) return attentionKey(item.domainId, item.kind);
  if (isMailboxItem(item)) return mailboxAttentionKey(organization, item.mailbox, item.kind);
  return channelAttentionKey(organization, item.channel, item.kind);
}

/** The writes that open an item, which fail if it is open. */
function opening(organization: string, item: AttentionItem, { settings, now }: Context): Write[] {
  const { domainId, domain, channel, mailbox, kind, severity, since, about } = item;
  const Item = {
    ...keyOf(organization, item),
    ...attentionIndexKey(organization, orderOf(item)),
    ...(domainId === null ? (channel === null ? { mailbox } : { channel }) : { domainId, domain }),
    ...{ kind, severity, since, about },
  };
  const events = attentionEventWrites('attention.opened', organization, item, settings, now);
  return [{ Put: { Item, ...ABSENT } }, ...events];
}

/** The writes that close an item, which fail if it is closed. */
function closing(organization: string, item: AttentionItem, { settings, now }: Context): Write[] {
  const events = attentionEventWrites('attention.closed', organization, item, settings, now);
  return [{ Delete: { Key: keyOf(organization, item), ...PRESENT } }, ...events];
}

/** The writes that open an item about a domain, which fail if it is open. */
export const domainOpening = (
  domain: DomainReference,
  kind: DomainKind,
  held: Held,
  context: Context,
): Write[] => opening(domain.organization, domainItem(domain, kind, held), context);

/** The writes that close an item about a domain, which fail if it is closed. */
export const domainClosing = (
  domain: DomainReference,
  kind: DomainKind,
  held: Held,
  context: Context,
): Write[] => closing(domain.organization, domainItem(domain, kind, held), context);

/** The write that closes an item that is probably not open, without an event. */
export const silentClosing = (domainId: string, kind: DomainKind): Write => ({
  Delete: { Key: attentionKey(domainId, kind) },
});

export type AttentionChanges = ReturnType<typeof attentionChanges>;

export function attentionChanges(table: Table, notifications: Pick<NotificationSettingsStore, 'getSoon'>) {
  return {
    /** What is open about a domain, of the kinds that this release knows. Costs half a read unit if little is open. */
    async open(domainId: string): Promise<readonly DomainItem[]> {
      const items = await table.query(startingWith(attentionOf(domainId)), attentionItem);
      return items.filter(isDomainItem);
    },

    /**
     * Opens, changes and closes the items about a domain as the conditions say.
     * @param before What was open.
     * @param guard Fails if the conditions were derived from what is no longer stored, or if the domain is gone.
     */
    async apply(
      domain: DomainReference,
      before: readonly DomainItem[],
      conditions: Conditions,
      { guard, now }: { readonly guard: readonly Write[]; readonly now: Date },
    ): Promise<void> {
      for (const kind of Object.keys(conditions).filter(isDomainKind)) {
        const item = before.find((one) => one.kind === kind);
        const writes = await changesOf(domain, item, kind, conditions[kind] ?? null, now);
        if (writes.length > 0) await table.tryTransact([...guard, ...writes]);
      }
    },

    /** Opens an item about a channel, unless it is open. */
    async openChannel(
      organization: string,
      { channel, kind }: Pick<ChannelItem, 'channel' | 'kind'>,
      held: Held,
      now: Date,
    ): Promise<void> {
      const settings = await notifications.getSoon(organization);
      await table.tryTransact(opening(organization, { ...newItem(kind, held), channel }, { settings, now }));
    },

    /** Closes an item about a channel, if it is open. */
    async closeChannel(
      organization: string,
      { channel, kind }: Pick<ChannelItem, 'channel' | 'kind'>,
      now: Date,
    ): Promise<void> {
      const item = await openChannelItem(table, organization, channel, kind);
      if (item === undefined) return;
      const settings = await notifications.getSoon(organization);
      await table.tryTransact(closing(organization, item, { settings, now }));
    },

    /** Opens an item about a mailbox, unless it is open, or the mailbox was removed. */
    async openMailbox(
      organization: string,
      { mailbox, kind }: Pick<MailboxItem, 'mailbox' | 'kind'>,
      held: Held,
      now: Date,
    ): Promise<void> {
      const settings = await notifications.getSoon(organization);
      await table.tryTransact([
        { ConditionCheck: { Key: fetchedMailboxKey(organization, mailbox), ...PRESENT } },
        ...opening(organization, { ...newItem(kind, held), mailbox }, { settings, now }),
      ]);
    },

    /** The writes that close the items about a mailbox, which fail if they are closed meanwhile. */
    async mailboxClosings(organization: string, mailbox: string, now: Date): Promise<Write[]> {
      const item = await openMailboxItem(table, organization, mailbox);
      if (item === undefined) return [];
      const settings = await notifications.getSoon(organization);
      return closing(organization, item, { settings, now });
    },
  };

  async function changesOf(
    domain: DomainReference,
    before: DomainItem | undefined,
    kind: DomainKind,
    held: Held | null,
    now: Date,
  ): Promise<readonly Write[]> {
    const { organization } = domain;
    if (before !== undefined && held !== null) return updateOf(organization, before, held, now);
    if (before === undefined && held === null) return [];
    const context = { settings: await notifications.getSoon(organization), now };
    if (held !== null) return domainOpening(domain, kind, held, context);
    return before === undefined ? [] : closing(organization, before, context);
  }
}

/** The write that changes what an open item is about; none if that is the same. What got worse is no longer put off. */
function updateOf(organization: string, before: DomainItem, held: Held, now: Date): Write[] {
  const { about = aboutNothing, severity = severityOf(before.kind) } = held;
  if (isDeepStrictEqual(about, before.about) && severity === before.severity) return [];
  const isWorse =
    rankOf(severity) < rankOf(before.severity) ||
    about.further > before.about.further ||
    about.names.some((name) => !before.about.names.includes(name));
  const { gsi1sk } = attentionIndexKey(organization, orderOf({ ...before, severity }));
  const wanted = isWorse ? { putOffUntil: null, changedAt: now.toISOString() } : {};
  const change = { about, severity, gsi1sk, ...wanted };
  return [{ Update: updateAt(keyOf(organization, before), change, having({ since: before.since })) }];
}

/** The open item of a kind about a channel. */
async function openChannelItem(
  table: Table,
  organization: string,
  channel: Channel,
  kind: ChannelKind,
): Promise<ChannelItem | undefined> {
  const item = await table.get(channelAttentionKey(organization, channel, kind), attentionItem);
  return item && { ...item, channel, kind };
}

/** The open item about a mailbox. */
async function openMailboxItem(
  table: Table,
  organization: string,
  mailbox: string,
): Promise<MailboxItem | undefined> {
  const kind = 'mailbox-failing';
  const item = await table.get(mailboxAttentionKey(organization, mailbox, kind), attentionItem);
  return item && { ...item, mailbox, kind };
}

/** The writes that close the items about channels, which fail if they are closed meanwhile. */
export async function channelClosings(
  table: Table,
  organization: string,
  channels: readonly Channel[],
  context: Context,
): Promise<Write[]> {
  const items = await Promise.all(
    channels.map((channel) => openChannelItem(table, organization, channel, 'channel-failing')),
  );
  return items.flatMap((item) => (item === undefined ? [] : closing(organization, item, context)));
}
