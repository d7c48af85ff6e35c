/** What can need a person: the kinds of attention items, a row each. */

import * as z from 'zod/mini';
import type { AlertSeverity } from '../alerts/alert.ts';
import type { AttentionKind, ChannelKind, DomainKind, MailboxKind } from '../alerts/attention-kind.ts';
import type { Channel } from '../alerts/notification.ts';
import { domainPage } from '../alerts/page.ts';
import { explain, mailboxError } from '../mailboxes/problem.ts';
import { printable } from '../protocol/printable.ts';
import { dayInWords } from '../protocol/time.ts';
import { registrationDetail, registrationTitle } from './registration-text.ts';
import { neverCameDetail, stoppedDetail, stoppedTitle } from './report-texts.ts';
import { stepDetail, stepTitle } from './step-text.ts';

/** What an item is about besides its domain or channel, as far as its kind needs it. It is stored with the item. */
export const about = z.object({
  /** Checks, senders, hosts or a policy. */
  names: z._default(z.readonly(z.array(z.string())), []),
  /** How many there are beyond those that are named. */
  further: z._default(z.number(), 0),
  /** The day on which the first certificate expires. */
  on: z._default(z.nullable(z.string()), null),
  /** Why a delivery failed. */
  reason: z._default(z.nullable(z.string()), null),
  /** What else its text depends on; the kind decides which. */
  facts: z._default(z.nullable(z.record(z.string(), z.unknown())), null),
});

export type About = Readonly<z.infer<typeof about>>;

export const aboutNothing: About = { names: [], further: 0, on: null, reason: null, facts: null };

/** What the text of a kind of its own depends on. */
export const aboutFacts = (facts: NonNullable<About['facts']>): About => ({ ...aboutNothing, facts });

/** Items are read with a list of many others, and strangers choose some of the names. */
const MOST_NAMED = 8;
const MAX_NAME = 80;

/** The first names, each once and on one line. */
export function named(all: readonly string[]): About {
  const names = [...new Set(all.map((name) => printable(name, MAX_NAME)))];
  return {
    ...aboutNothing,
    names: names.slice(0, MOST_NAMED),
    further: Math.max(0, names.length - MOST_NAMED),
  };
}

interface Since {
  /** When its condition began; ISO 8601. */
  readonly since: string;
  readonly about: About;
}

/** What the text of an item about a domain depends on. */
export interface DomainSubject extends Since {
  readonly kind: DomainKind;
  readonly domainId: string;
  readonly domain: string;
}

/** What the text of an item about a channel depends on. */
export interface ChannelSubject extends Since {
  readonly kind: ChannelKind;
  readonly channel: Channel;
}

/** What the text of an item about a mailbox depends on. */
export interface MailboxSubject extends Since {
  readonly kind: MailboxKind;
  /** Its ID. */
  readonly mailbox: string;
}

interface KindRow<Subject> {
  /** Unless the condition is more or less severe. */
  readonly severity: AlertSeverity;
  readonly title: (subject: Subject) => string;
  /** What it means and what to do, in sentences. */
  readonly detail: (subject: Subject) => string;
  /** The page of the console where a person can act: its path, and what leads there. */
  readonly action: { readonly label: string; readonly path: (subject: Subject) => string };
}

const list = ({ names, further }: About): string =>
  `${names.join(', ')}${further === 0 ? '' : `, and ${further} more`}`;

const dayOf = ({ since }: Since): string => dayInWords(since);

const pageOf = ({ domainId }: DomainSubject): string => domainPage(domainId);

const FAILING: Readonly<Record<Channel, { name: string; remedy: string }>> = {
  mail: {
    name: 'mail',
    remedy: 'Check the address, and that its mail server accepts mail from this service.',
  },
  webhook: { name: 'webhook', remedy: 'Check the URL, and that its server answers with a 2xx status.' },
};

/** Text is added when an item is shown; items are stored without it. */
export const kinds: Readonly<Record<DomainKind, KindRow<DomainSubject>>> = {
  'ownership-unproven': {
    severity: 'warning',
    title: ({ domain }) => `Ownership of ${domain} is no longer proven`,
    detail: (subject) =>
      `The verification record has been missing from DNS since ${dayOf(subject)}. Publish it again if the domain is yours, or delete the domain from this service if it is not. Until then, its data is kept and it is checked as before.`,
    action: { label: 'Show the verification record', path: (subject) => `${pageOf(subject)}#steps` },
  },
  takeover: {
    severity: 'critical',
    title: ({ domain, about }) => `Records of ${domain} rely on domains that nobody owns: ${list(about)}`,
    detail: () =>
      'Lookups say that these domains are not in DNS. If nobody holds the registration of one, anyone who registers it receives the mail, sends as the domain, or decides about its policy, without any change of a record of yours. Remove the records that lead there today; each finding says which one. If you lost such a domain by mistake, register it again first.',
    action: { label: 'Show the records', path: pageOf },
  },
  'check-failing': {
    severity: 'critical',
    title: ({ domain, about }) => `Checks of ${domain} found errors: ${list(about)}`,
    detail: () =>
      'What a standard requires is missing or broken, so receivers can reject or misjudge mail. The page shows each error with its fix. Preview a change before you publish it, and include every service that sends your mail.',
    action: { label: 'Show the errors and their fixes', path: pageOf },
  },
  'lookups-failing': {
    severity: 'warning',
    title: ({ domain, about }) => `Checks of ${domain} have no result: ${list(about)}`,
    detail: (subject) =>
      `Lookups have failed, or have been too costly, since ${dayOf(subject)}. Your records can be correct, so do not change them because of this, but nobody would notice if they were not. Check whether the name servers and hosts of the domain answer. If other domains have the same problem, ask your operator to check the network and the resolvers of this service.`,
    action: { label: 'Show what failed', path: pageOf },
  },
  'sender-failing': {
    severity: 'warning',
    title: ({ domain, about }) => `Approved mail of ${domain} fails DMARC: ${list(about)}`,
    detail: () =>
      'Authenticated reports show that mail of these approved senders fails. Let each sender sign with DKIM in the name of your domain, or use your domain or a subdomain in MAIL FROM and authorize it with SPF. Do not publish a stronger policy before that: receivers that apply it refuse this mail. The item closes when a week of reports shows that the mail passes.',
    action: {
      label: 'Show the senders and their fixes',
      path: (subject) => `${pageOf(subject)}/enforcement`,
    },
  },
  'sender-undecided': {
    severity: 'info',
    title: ({ domain, about }) => `Senders of ${domain} need your decision: ${list(about)}`,
    detail: () =>
      'Their mail fails DMARC and looks legitimate. If you use a sender, approve it and let it authenticate its mail. If you are sure that you do not, mark it as unauthorized. A stronger policy would lose this mail.',
    action: { label: 'Decide about the senders', path: (subject) => `${pageOf(subject)}/dmarc` },
  },
  'ready-for-next-step': {
    severity: 'info',
    title: ({ domain, about }) => `${domain} is ready for p=${list(about)}`,
    detail: () =>
      'Stored reports and the published records fulfill every rule of the next step. The page shows the record to publish, and what it would have done to the mail of the last 30 days. Publish it when you can read the reports of the days after, and keep the present record for the way back.',
    action: { label: 'Show the next record', path: (subject) => `${pageOf(subject)}/enforcement#next` },
  },
  expiring: {
    severity: 'warning',
    title: ({ domain, about }) =>
      `Certificates of ${domain} are valid until ${dayInWords(about.on ?? '')}: ${list(about)}`,
    detail: ({ about }) =>
      `The certificates should have been renewed by now. Renew them, let the servers load them, and automate both. Where an MX host has TLSA records, publish that of the next certificate first, or keep the key. From ${dayInWords(about.on ?? '')} on, senders that require a valid certificate do not deliver to these hosts, and logos of a mark certificate are not shown.`,
    action: { label: 'Show the certificates', path: pageOf },
  },
  'tlsa-rollover': {
    severity: 'warning',
    title: ({ domain, about }) =>
      `TLSA records of ${domain} stop matching about ${dayInWords(about.on ?? '')}: ${list(about)}`,
    detail: ({ about }) =>
      `The certificates of these MX hosts are due for renewal about ${dayInWords(about.on ?? '')}, and what earlier renewals did, or what the records are for, says that no TLSA record matches afterwards. Senders with DANE then do not deliver. The page shows the records to publish beside the present ones, and the order of the steps. Preview the records, and publish them before the renewal.`,
    action: { label: 'Show the records to publish', path: pageOf },
  },
  registration: {
    severity: 'warning',
    title: registrationTitle,
    detail: registrationDetail,
    action: { label: 'Show the domain', path: pageOf },
  },
  blocklisted: {
    severity: 'warning',
    title: ({ domain, about }) => `Addresses of ${domain} are on blocklists: ${list(about)}`,
    detail: (subject) =>
      `The lists say so since ${dayOf(subject)} or longer${subject.about.reason === null ? '' : `; one of them: "${subject.about.reason}"`}. Receivers that use a list reject or filter mail from the address. Find out what the address sent: an account that was taken over, a form, or a forwarder. Stop that first, then ask the list to remove the address. A list of policy, such as the PBL of Spamhaus, says only that no mail server is expected there: send through the relay of the provider, or ask the list to except the address. If a service sends from it, the service has to do that.`,
    action: { label: 'Show the senders', path: (subject) => `${pageOf(subject)}/enforcement` },
  },
  'reports-stopped': {
    severity: 'warning',
    title: stoppedTitle,
    detail: stoppedDetail,
    action: { label: 'Show the DMARC reports', path: (subject) => `${pageOf(subject)}/dmarc` },
  },
  'reports-never-came': {
    severity: 'warning',
    title: ({ domain }) => `No DMARC reports about ${domain} have come`,
    detail: neverCameDetail,
    action: { label: 'Show the domain', path: pageOf },
  },
  'step-loses-mail': {
    severity: 'critical',
    title: stepTitle,
    detail: stepDetail,
    action: { label: 'Show the enforcement', path: (subject) => `${pageOf(subject)}/enforcement` },
  },
  'requirement-lapsed': {
    severity: 'warning',
    title: ({ domain, about }) => `${domain} no longer fulfills requirements: ${list(about)}`,
    detail: () =>
      'You follow these compliance profiles, and the domain fulfilled these requirements before. Two check runs agree that it violates them now. The page shows the findings that decide this, and the section of the source. The item closes when the domain fulfills them again, or when you stop following the profiles.',
    action: {
      label: 'Show the requirements',
      path: (subject) =>
        `${pageOf(subject)}/compliance?profile=${subject.about.names[0]?.split('/')[0] ?? ''}`,
    },
  },
  'former-report-address': {
    severity: 'warning',
    title: ({ domain, about }) => `Records of ${domain} ask for reports at a former address: ${list(about)}`,
    detail: () =>
      'This service has a new domain for reports. Reports to the former address still arrive, but not for good. Put the present address, which the page shows, in its place in the DMARC and TLS-RPT records. Other addresses in the records can stay.',
    action: { label: 'Show the report address', path: pageOf },
  },
};

export const channelKinds: Readonly<Record<ChannelKind, KindRow<ChannelSubject>>> = {
  'channel-failing': {
    severity: 'warning',
    title: ({ channel }) => `Notifications by ${FAILING[channel].name} do not arrive`,
    detail: (subject) => {
      const { channel, about } = subject;
      return `On ${dayOf(subject)}, the service gave up a notification after its last attempt: ${about.reason}. ${FAILING[channel].remedy} Then send a test: the item closes when a notification arrives, or when you change the channel. Send again what was given up.`;
    },
    action: { label: 'Show the settings', path: () => '/console/settings#notifications' },
  },
};

export const mailboxKinds: Readonly<Record<MailboxKind, KindRow<MailboxSubject>>> = {
  'mailbox-failing': {
    severity: 'warning',
    title: ({ about }) => `The mailbox ${list(about)} cannot be read`,
    detail: (subject) => {
      const { success, data } = mailboxError.safeParse(subject.about.facts);
      const why = success ? explain(data) : undefined;
      return `Every attempt since ${dayOf(subject)} failed, so reports that arrive there are missing here${why === undefined ? '.' : `: ${why.message}. ${why.fix}`} Nothing is lost: mails stay in the mailbox, and are read when it works again.`;
    },
    action: { label: 'Show the mailboxes', path: () => '/console/mailboxes' },
  },
};

type Subject = DomainSubject | ChannelSubject | MailboxSubject;

const isOfChannel = (subject: Subject): subject is ChannelSubject => isChannelKind(subject.kind);

const isOfMailbox = (subject: Subject): subject is MailboxSubject => isMailboxKind(subject.kind);

interface AttentionText {
  readonly title: string;
  readonly detail: string;
  readonly action: { readonly label: string; readonly path: string };
}

/** The text of an item. */
export function textOf(subject: Subject): AttentionText {
  if (isOfChannel(subject)) return textIn(channelKinds[subject.kind], subject);
  if (isOfMailbox(subject)) return textIn(mailboxKinds[subject.kind], subject);
  return textIn(kinds[subject.kind], subject);
}

const textIn = <Subject>({ title, detail, action }: KindRow<Subject>, subject: Subject): AttentionText => ({
  title: title(subject),
  detail: detail(subject),
  action: { label: action.label, path: action.path(subject) },
});

/** Whether this release knows the kind of a stored item, which another release can have stored. */
export const isDomainKind = (kind: string): kind is DomainKind => Object.hasOwn(kinds, kind);

export const isChannelKind = (kind: string): kind is ChannelKind => Object.hasOwn(channelKinds, kind);

export const isMailboxKind = (kind: string): kind is MailboxKind => Object.hasOwn(mailboxKinds, kind);

export const severityOf = (kind: AttentionKind): AlertSeverity =>
  ({ ...kinds, ...channelKinds, ...mailboxKinds })[kind].severity;
