/** The kinds of attention items. Apart from their text, because events name them, too. */
import type * as z from 'zod/mini';
import { described, oneOf } from '../protocol/schema.ts';

/** What can need a person about a domain. */
const domainKinds = [
  'ownership-unproven',
  'takeover',
  'check-failing',
  'lookups-failing',
  'sender-failing',
  'sender-undecided',
  'ready-for-next-step',
  'expiring',
  'tlsa-rollover',
  'registration',
  'blocklisted',
  'reports-stopped',
  'reports-never-came',
  'step-loses-mail',
  'former-report-address',
  'requirement-lapsed',
] as const;

/** What can need a person about a channel of the organization. */
const channelKinds = ['channel-failing'] as const;

/** What can need a person about a mailbox from which reports are fetched. */
const mailboxKinds = ['mailbox-failing'] as const;

export type DomainKind = (typeof domainKinds)[number];

export type ChannelKind = (typeof channelKinds)[number];

export type MailboxKind = (typeof mailboxKinds)[number];

const kinds = [...domainKinds, ...channelKinds, ...mailboxKinds] as const;

export const attentionKind = described(
  oneOf(kinds),
  [
    '`ownership-unproven`: the verification record of a verified domain has been missing for 30 days',
    '`takeover`: a record relies on a domain that nobody owns',
    '`check-failing`: a check has errors',
    '`lookups-failing`: a check has been `unknown` for 72 hours',
    '`sender-failing`: mail of an approved sender fails DMARC',
    '`sender-undecided`: mail of a sender without a decision fails DMARC, and looks legitimate',
    '`ready-for-next-step`: the domain is ready for a stronger DMARC policy',
    '`expiring`: a certificate expires soon, or expired',
    '`tlsa-rollover`: the next certificate will match no TLSA record',
    '`registration`: the registry says that something is wrong',
    '`blocklisted`: an address is on a blocklist',
    '`reports-stopped`: the DMARC reports of a regular reporter, or of all, stopped',
    '`reports-never-came`: the DMARC record has asked for reports at the report mailbox for 7 days, and none came',
    '`step-loses-mail`: since the policy became stricter, more approved mail is lost than expected',
    '`former-report-address`: a record asks for reports at an address that this service will not receive for much longer',
    '`requirement-lapsed`: the domain fulfilled a requirement of a compliance profile that the organization follows, and no longer does',
    '`channel-failing`: the service gave up delivering a notification on a channel',
    '`mailbox-failing`: a mailbox from which reports are fetched could not be read for a day',
  ].join('. '),
);

export type AttentionKind = z.infer<typeof attentionKind>;
