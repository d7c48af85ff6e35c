/**
 * What Gmail, Yahoo and Microsoft require of bulk senders, each with its own rules. They are notes that do not affect the
 * score, because one test message does not show how much mail a sender sends. Sources: Google's "Email sender guidelines"
 * (support.google.com/a/answer/81126) with their FAQ, Yahoo's "Sender Best Practices" (senders.yahooinc.com), and
 * Microsoft's "Outlook's New Requirements for High-Volume Senders" (techcommunity.microsoft.com).
 */

import { type HeaderSection, valuesOf } from '../protocol/message/header-section.ts';
import type { Facts } from './facts.ts';

export const receivers = ['gmail', 'yahoo', 'microsoft'] as const;

export type Receiver = (typeof receivers)[number];

export const requirements = [
  'spf-and-dkim',
  'dmarc-record',
  'dmarc-aligned',
  'reverse-dns',
  'one-click-unsubscribe',
  'tls',
] as const;

type Requirement = (typeof requirements)[number];

export interface SenderNote {
  readonly receiver: Receiver;
  readonly requirement: Requirement;
  /** `unknown`: could not be determined. */
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly explanation: string;
}

type Rules = Readonly<Partial<Record<Requirement, string>>>;

const ONE_CLICK =
  'needs one-click unsubscribe: a List-Unsubscribe header field with an https link and a List-Unsubscribe-Post header field, both covered by a DKIM signature (RFC 8058).';
const FORWARD_CONFIRMED = 'The sending IP address must have a reverse DNS name that resolves back to it.';

const rules: Readonly<Record<Receiver, Rules>> = {
  gmail: {
    'spf-and-dkim': 'SPF and DKIM must both pass.',
    'dmarc-record': 'The From domain must have a DMARC record; p=none is enough.',
    'dmarc-aligned': 'The From domain must align with the domain of SPF or with that of a DKIM signature.',
    'reverse-dns': FORWARD_CONFIRMED,
    'one-click-unsubscribe': `Marketing mail ${ONE_CLICK}`,
    tls: 'The SMTP connection must use TLS.',
  },
  yahoo: {
    'spf-and-dkim': 'SPF and DKIM must both pass.',
    'dmarc-record': 'The From domain must have a valid DMARC record; p=none is enough.',
    'dmarc-aligned': 'DMARC must pass. Relaxed alignment of SPF or DKIM is enough.',
    'reverse-dns': FORWARD_CONFIRMED,
    'one-click-unsubscribe': `Marketing mail ${ONE_CLICK}`,
  },
  microsoft: {
    'spf-and-dkim': 'SPF and DKIM must both pass.',
    'dmarc-record': 'The From domain must have a DMARC record; p=none is enough.',
    'dmarc-aligned': 'The From domain must align with the domain of SPF or DKIM, preferably with both.',
  },
};

type State = boolean | null;

/** Whether a message meets the requirements, grouped by receiver. */
export function bulkSenderNotes(
  section: HeaderSection,
  facts: Facts,
  encrypted: boolean | null,
): readonly SenderNote[] {
  const { spf, dkim, dmarc, reverseDns } = facts;
  const isOpen = dkim.signatures.some(({ verdict }) => verdict === 'temperror');
  const met: Readonly<Record<Requirement, State>> = {
    'spf-and-dkim': both(
      spf.result === 'temperror' ? null : spf.result === 'pass',
      dkim.valid || (isOpen ? null : false),
    ),
    'dmarc-record': dmarc.record !== null || (dmarc.result === 'temperror' ? null : false),
    'dmarc-aligned': dmarc.result === 'pass' || (dmarc.result === 'temperror' ? null : false),
    'reverse-dns': reverseDns.status === 'unknown' ? null : reverseDns.confirmed,
    'one-click-unsubscribe': offersOneClick(section, dkim),
    tls: encrypted,
  };
  return receivers.flatMap((receiver) =>
    Object.entries(rules[receiver]).map(([name, explanation]): SenderNote => {
      const requirement = name as Requirement;
      return { receiver, requirement, state: stateOf(met[requirement]), explanation };
    }),
  );
}

function both(one: State, other: State): State {
  if (one === false || other === false) return false;
  return one === null || other === null ? null : true;
}

function stateOf(met: State): SenderNote['state'] {
  if (met === null) return 'unknown';
  return met ? 'met' : 'not-met';
}

/** Whether recipients can unsubscribe with one click over https (RFC 8058); null if the signature could not be checked. */
export function offersOneClick(
  section: HeaderSection,
  { signatures, more }: Pick<Facts['dkim'], 'signatures' | 'more'>,
): State {
  if (!hasOneClickFields(section)) return false;
  const verdicts = signatures
    .filter(({ signedFields }) =>
      ['list-unsubscribe', 'list-unsubscribe-post'].every((name) => signedFields.includes(name)),
    )
    .map(({ verdict }) => verdict);
  if (verdicts.includes('pass')) return true;
  return more > 0 || verdicts.some((verdict) => verdict === 'temperror' || verdict === 'not-checked')
    ? null
    : false;
}

/** Whether the header fields offer one click, signed or not. */
export function hasOneClickFields(section: HeaderSection): boolean {
  const link = valuesOf(section, 'list-unsubscribe').some((value) => /<https:\/\//i.test(value));
  const post = valuesOf(section, 'list-unsubscribe-post').some(
    (value) => value.toLowerCase() === 'list-unsubscribe=one-click',
  );
  return link && post;
}
