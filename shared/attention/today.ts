/** The page that a person opens every morning: how it groups the kinds of attention items, and the few words that a row has. */
import type { AttentionKind } from '../alerts/attention-kind.ts';
import { dayInWords } from '../protocol/time.ts';
import type { About } from './kinds.ts';

/** What a person has to do with the items of a group, the most urgent group first. */
export const attentionGroups = ['broken', 'decide', 'ready', 'setup'] as const;

export type AttentionGroup = (typeof attentionGroups)[number];

interface TodayRow {
  readonly group: AttentionGroup;
  /** What is the case, without the domain, which a row names beside it. */
  readonly what: (about: About) => string;
  /** The button that leads to where a person can act. */
  readonly action: string;
}

const list = ({ names, further }: About): string =>
  `${names.join(', ')}${further === 0 ? '' : ` and ${further} more`}`;

export const todayRows: Readonly<Record<AttentionKind, TodayRow>> = {
  takeover: {
    group: 'broken',
    what: (about) => `Records rely on domains that nobody owns: ${list(about)}`,
    action: 'Show records',
  },
  'check-failing': { group: 'broken', what: (about) => `Errors: ${list(about)}`, action: 'Fix' },
  'step-loses-mail': {
    group: 'broken',
    what: () => 'Approved mail is lost since the last step',
    action: 'Show',
  },
  'sender-failing': {
    group: 'broken',
    what: (about) => `Approved mail fails: ${list(about)}`,
    action: 'Fix',
  },
  'ownership-unproven': {
    group: 'broken',
    what: () => 'Ownership is no longer proven',
    action: 'Show record',
  },
  expiring: {
    group: 'broken',
    what: (about) => `Certificates end on ${dayInWords(about.on ?? '')}: ${list(about)}`,
    action: 'Show',
  },
  'tlsa-rollover': {
    group: 'broken',
    what: (about) => `TLSA records stop matching about ${dayInWords(about.on ?? '')}: ${list(about)}`,
    action: 'Show records',
  },
  registration: {
    group: 'broken',
    what: () => 'The registration of the domain needs you',
    action: 'Show',
  },
  blocklisted: {
    group: 'broken',
    what: (about) => `On blocklists: ${list(about)}`,
    action: 'Show senders',
  },
  'reports-stopped': { group: 'broken', what: () => 'DMARC reports stopped', action: 'Show' },
  'lookups-failing': { group: 'broken', what: (about) => `No result: ${list(about)}`, action: 'Show' },
  'channel-failing': { group: 'broken', what: () => 'Notifications do not arrive', action: 'Show settings' },
  'mailbox-failing': {
    group: 'broken',
    what: (about) => `Mailbox cannot be read: ${list(about)}`,
    action: 'Show mailbox',
  },
  'sender-undecided': { group: 'decide', what: (about) => `Is this you? ${list(about)}`, action: 'Decide' },
  'ready-for-next-step': {
    group: 'ready',
    what: (about) => `Ready for p=${list(about)}`,
    action: 'Show record',
  },
  'reports-never-came': { group: 'setup', what: () => 'No DMARC reports have come', action: 'Set up' },
  'requirement-lapsed': {
    group: 'broken',
    what: (about) => `No longer fulfilled: ${list(about)}`,
    action: 'Show requirements',
  },
  'former-report-address': {
    group: 'setup',
    what: () => 'Records name a former report address',
    action: 'Set up',
  },
};
