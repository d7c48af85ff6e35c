/** Attention items as they are stored, and their order. */
import * as z from 'zod/mini';
import { type AlertSeverity, alertSeverity } from '../alerts/alert.ts';
import { type Channel, channel, severities } from '../alerts/notification.ts';
import {
  about,
  aboutNothing,
  type ChannelSubject,
  type DomainSubject,
  isChannelKind,
  isDomainKind,
  isMailboxKind,
  type MailboxSubject,
} from '../attention/kinds.ts';
import { dayAt } from '../protocol/time.ts';
import { orNull } from './item-schema.ts';

export const attentionItem = z.object({
  /** The domain that it is about; null if it is about a channel or a mailbox. */
  domainId: orNull(z.string()),
  domain: orNull(z.string()),
  /** The channel that it is about, or the ID of the mailbox; null if it is about something else. */
  channel: orNull(channel),
  mailbox: orNull(z.string()),
  /** Of any release. */
  kind: z.string(),
  severity: alertSeverity,
  /** When the condition began; ISO 8601. */
  since: z.string(),
  about: z._default(about, aboutNothing),
  /** The day (UTC) from which a person wants to see the item again. */
  putOffUntil: orNull(z.string()),
  /** What that person noted. */
  note: orNull(z.string()),
  /** When the last two were changed last; null: never. */
  changedAt: orNull(z.string()),
});

export type StoredItem = Readonly<z.infer<typeof attentionItem>>;

/** An item about a domain, of a kind that this release knows. */
export type DomainItem = StoredItem & DomainSubject;

/** An item about a channel, of a kind that this release knows. */
export type ChannelItem = StoredItem & ChannelSubject;

/** An item about a mailbox, of a kind that this release knows. */
export type MailboxItem = StoredItem & MailboxSubject;

export type AttentionItem = DomainItem | ChannelItem | MailboxItem;

export const isDomainItem = (item: StoredItem): item is DomainItem =>
  isDomainKind(item.kind) && item.domainId !== null && item.domain !== null;

export const isMailboxItem = (item: StoredItem): item is MailboxItem =>
  isMailboxKind(item.kind) && item.mailbox !== null;

export const isKnown = (item: StoredItem): item is AttentionItem =>
  isDomainItem(item) || isMailboxItem(item) || (isChannelKind(item.kind) && item.channel !== null);

/** A domain has at most one item of each kind, and so does a channel or a mailbox, so both identify it. */
export const attentionIdOf = ({ domainId, channel, mailbox, kind }: AttentionItem): string =>
  `${domainId ?? channel ?? mailbox}.${kind}`;

/** What a person did with a new item. */
export const untouched = { putOffUntil: null, note: null, changedAt: null } as const;

export const worstFirst = severities.toReversed();

export const rankOf = (severity: AlertSeverity): number => worstFirst.indexOf(severity);

type Ordered = Pick<StoredItem, 'severity' | 'kind' | 'since'> & {
  readonly domainId?: string | null;
  readonly channel?: Channel | null;
  readonly mailbox?: string | null;
};

/** Worst first, then by kind, and the oldest of a kind first. */
export const orderOf = ({ severity, kind, since, domainId, channel, mailbox }: Ordered): string =>
  `${rankOf(severity)}#${kind}#${since}#${domainId ?? channel ?? mailbox}`;

/** Whether an item is put off at `now`. */
export const isPutOff = <Item extends Pick<StoredItem, 'putOffUntil'>>(
  item: Item,
  now: Date,
): item is Item & { readonly putOffUntil: string } =>
  item.putOffUntil !== null && item.putOffUntil > dayAt(now);
