/** Requests to put an attention item off, apart from the responses, which forms do not need. */
import * as z from 'zod/mini';
import { type Channel, channels } from '../alerts/notification.ts';
import { isChannelKind, isDomainKind, isMailboxKind } from '../attention/kinds.ts';
import { oneLine } from '../protocol/one-line.ts';
import { described } from '../protocol/schema.ts';
import { attentionKey, channelAttentionKey, type Key, mailboxAttentionKey } from '../store/keys.ts';
import { missing } from './common.ts';
import { jsonObject } from './json-object.ts';

const ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|mail|webhook)\.[a-z-]{1,40}$/;

export const attentionId = described(
  z.string().check(z.toLowerCase(), z.regex(ID, missing.attention)),
  'ID of the item: the ID of the domain or mailbox, or the name of the channel, and the kind',
  '6b1f3c5e-8f0a-4a53-9d0e-2f1f1f0c7a11.ownership-unproven',
);

export const attentionPath = z.object({ id: attentionId });

/** Where an item is stored. */
interface AttentionPlace {
  readonly key: Key;
  /** The domain that the item is about; null if it is about a channel or a mailbox. */
  readonly domainId: string | null;
}

/** What an id consists of; undefined if there is no such kind. */
export function readAttentionId(organization: string, id: string): AttentionPlace | undefined {
  const [subject = '', kind = ''] = id.split('.');
  if (isChannel(subject))
    return isChannelKind(kind)
      ? { key: channelAttentionKey(organization, subject, kind), domainId: null }
      : undefined;
  if (isMailboxKind(kind)) return { key: mailboxAttentionKey(organization, subject, kind), domainId: null };
  return isDomainKind(kind) ? { key: attentionKey(subject, kind), domainId: subject } : undefined;
}

const isChannel = (name: string): name is Channel => (channels as readonly string[]).includes(name);

/** An item that nobody wants to see for longer than that is better settled. */
export const MOST_DAYS_PUT_OFF = 366;

export const putOffDay = z.iso.date('must be a date such as 2026-01-31, or null');

/** Longer texts belong elsewhere. */
const MAX_NOTE = 500;

export const putOffNote = oneLine(MAX_NOTE);

export const putOffBody = jsonObject({
  until: described(
    z.nullable(putOffDay),
    `The day (UTC) from which the item is listed again, at most ${MOST_DAYS_PUT_OFF} days ahead; \`null\` lists it at once`,
    '2026-02-28',
  ),
  note: described(z.optional(z.nullable(putOffNote)), 'A note of your own', 'The domain is for sale'),
});
