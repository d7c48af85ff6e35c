/**
 * What large receivers do with a message, by the rules that they publish. What a receiver decides by reputation or content,
 * it keeps to itself. Each row names its source: the pages of Gmail and Yahoo as of 2026, that of Microsoft as of August
 * 2025, and its reply codes as of 2024.
 */
import type { Facts } from './facts.ts';

export const receiverNames = ['gmail', 'yahoo', 'microsoft', 'others'] as const;
export type ReceiverName = (typeof receiverNames)[number];

/** From the best to the worst. `unknown`: a rule that would reject the message could not be checked. */
export const deliveries = ['delivered', 'unknown', 'spam-folder', 'rejected'] as const;
export type Delivery = (typeof deliveries)[number];

export interface BrokenRule {
  /** `bulk`: for senders of more than 5,000 messages a day, or of bulk mail. */
  readonly senders: 'all' | 'bulk';
  readonly delivery: Exclude<Delivery, 'delivered'>;
  /** The reply code, if it is published. */
  readonly reply: string | null;
  readonly rule: string;
  /** Null for common practice, which no receiver publishes. */
  readonly source: string | null;
}

export interface ReceiverOutcome {
  readonly receiver: ReceiverName;
  readonly delivery: Delivery;
  /** The same for senders of bulk mail, for whom there are more rules. */
  readonly bulkDelivery: Delivery;
  /** The rules that the message breaks, or that could not be checked; the worst first. */
  readonly broken: readonly BrokenRule[];
}

/** What is known beside the facts: whether the sending host used TLS. */
export interface Judged extends Facts {
  readonly encrypted: boolean | null;
}

export interface RuleRow extends Omit<BrokenRule, 'delivery'> {
  readonly receiver: ReceiverName;
  readonly delivery: 'spam-folder' | 'rejected';
  /** Null if it could not be checked. */
  readonly isBroken: (judged: Judged) => boolean | null;
}

const GMAIL = 'https://support.google.com/a/answer/81126';
const GMAIL_CODES = 'https://support.google.com/a/answer/3726730';
const YAHOO = 'https://senders.yahooinc.com/best-practices/';
const YAHOO_CODES = 'https://senders.yahooinc.com/smtp-error-codes/';
const YAHOO_REPLY = 'https://help.yahoo.com/kb/SLN7253.html';
const MICROSOFT =
  'https://techcommunity.microsoft.com/blog/microsoftdefenderforoffice365blog/strengthening-email-ecosystem-outlook%E2%80%99s-new-requirements-for-high%E2%80%90volume-senders/4399730';
const MICROSOFT_CODES =
  'https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online/non-delivery-reports-in-exchange-online';
const MICROSOFT_SPOOFING = 'https://learn.microsoft.com/defender-office-365/email-authentication-about';
const DMARC = 'https://www.rfc-editor.org/rfc/rfc7489#section-6.3';
const DMARC_REPLY = 'https://www.rfc-editor.org/rfc/rfc7489#section-10.3';
const REVERSE_REPLY = 'https://www.rfc-editor.org/rfc/rfc7372#section-3.3';

const failsSpf = ({ spf }: Judged) => (spf.result === 'temperror' ? null : spf.result !== 'pass');
const failsDkim = ({ dkim }: Judged) =>
  dkim.valid ? false : dkim.signatures.some(({ verdict }) => verdict === 'temperror') ? null : true;
const isUnauthenticated = (judged: Judged) => all(failsSpf(judged), failsDkim(judged));
const failsUnder =
  (policy: 'quarantine' | 'reject') =>
  ({ dmarc }: Judged) => {
    // Without an answer about the record, the policy is not known.
    if (dmarc.result === 'temperror') return dmarc.policy === null || dmarc.policy === policy ? null : false;
    return dmarc.result === 'fail' && dmarc.policy === policy;
  };
const hasNoRecord = ({ dmarc }: Judged) =>
  dmarc.record !== null ? false : dmarc.result === 'temperror' ? null : true;
const isNotAligned = ({ dmarc }: Judged) =>
  dmarc.result === 'pass' ? false : dmarc.result === 'temperror' ? null : true;
const hasNoReverseName = ({ reverseDns: { status, confirmed } }: Judged) =>
  status === 'unknown' ? null : !confirmed;
const isNotEncrypted = ({ encrypted }: Judged) => (encrypted === null ? null : !encrypted);
const authorIsUnclear = ({ dmarc: { reason } }: Judged) =>
  reason === 'no-from' ||
  reason === 'no-author-domain' ||
  reason === 'several-from' ||
  reason === 'several-authors';
const isListed = ({ blocklists }: Judged) => blocklists.listed > 0;
const isListedBySpamhaus = ({ blocklists }: Judged) =>
  blocklists.results.some(({ zone, listed }) => listed === true && /(^|\.)spamhaus\.(org|net)$/.test(zone));

/** Broken if all are; null if the one that decides is not known. */
function all(...broken: readonly (boolean | null)[]): boolean | null {
  if (broken.includes(false)) return false;
  return broken.includes(null) ? null : true;
}

/** Broken if one is. */
function any(...broken: readonly (boolean | null)[]): boolean | null {
  if (broken.includes(true)) return true;
  return broken.includes(null) ? null : false;
}

const missesOne = (judged: Judged) =>
  any(failsSpf(judged), failsDkim(judged), hasNoRecord(judged), isNotAligned(judged));

const REJECTS = 'DMARC must pass, because the policy of the From domain is reject.';
const QUARANTINES = 'DMARC must pass, because the policy of the From domain is quarantine.';
const NOT_LISTED = 'The sending IP address must not be on a blocklist.';
const SPF_OR_DKIM = 'SPF or DKIM must pass.';
const REVERSE_NAME = 'The sending IP address must have a reverse DNS name that resolves back to it.';
const ALL_THREE =
  'SPF and DKIM must pass, and one of them must align with the From domain, which has a DMARC record.';

const rejects = (
  receiver: ReceiverName,
  reply: string | null,
  rule: string,
  source: string | null,
  isBroken: RuleRow['isBroken'],
  senders: BrokenRule['senders'] = 'all',
): RuleRow => ({ receiver, senders, delivery: 'rejected', reply, rule, source, isBroken });

const marksAsSpam = (
  receiver: ReceiverName,
  rule: string,
  source: string | null,
  isBroken: RuleRow['isBroken'],
  senders: BrokenRule['senders'] = 'all',
): RuleRow => ({ receiver, senders, delivery: 'spam-folder', reply: null, rule, source, isBroken });

/** The rules by receiver; `docs/api.md` has them as a table. */
export const receiverRules: readonly RuleRow[] = [
  rejects('gmail', '550 5.7.26', REJECTS, GMAIL_CODES, failsUnder('reject')),
  rejects('gmail', '550 5.7.26', SPF_OR_DKIM, GMAIL_CODES, isUnauthenticated),
  rejects('gmail', '550 5.7.25', REVERSE_NAME, GMAIL_CODES, hasNoReverseName),
  rejects(
    'gmail',
    '550 5.7.1',
    'The message must have one From header field with one address.',
    GMAIL_CODES,
    authorIsUnclear,
  ),
  rejects(
    'gmail',
    '550 5.7.1',
    'The message must have a Message-ID header field.',
    GMAIL_CODES,
    ({ headers }) => headers.messageId === null,
  ),
  marksAsSpam('gmail', QUARANTINES, DMARC, failsUnder('quarantine')),
  marksAsSpam('gmail', NOT_LISTED, GMAIL, isListed),
  rejects('gmail', '550 5.7.27', 'SPF must pass.', GMAIL_CODES, failsSpf, 'bulk'),
  rejects('gmail', '550 5.7.30', 'DKIM must pass.', GMAIL_CODES, failsDkim, 'bulk'),
  rejects(
    'gmail',
    '550 5.7.40',
    'The From domain must have a DMARC record.',
    GMAIL_CODES,
    hasNoRecord,
    'bulk',
  ),
  rejects('gmail', '550 5.7.29', 'The SMTP connection must use TLS.', GMAIL_CODES, isNotEncrypted, 'bulk'),
  marksAsSpam(
    'gmail',
    'The From domain must align with the domain of SPF or DKIM.',
    GMAIL,
    isNotAligned,
    'bulk',
  ),
  rejects('yahoo', '554 5.7.9', REJECTS, YAHOO_REPLY, failsUnder('reject')),
  rejects('yahoo', '554 5.7.9', SPF_OR_DKIM, YAHOO_REPLY, isUnauthenticated),
  rejects(
    'yahoo',
    null,
    'The sending IP address must not be on a list of Spamhaus.',
    YAHOO_CODES,
    isListedBySpamhaus,
  ),
  marksAsSpam('yahoo', QUARANTINES, DMARC, failsUnder('quarantine')),
  rejects('yahoo', null, ALL_THREE, YAHOO, missesOne, 'bulk'),
  rejects('microsoft', '550 5.7.509', REJECTS, MICROSOFT_CODES, failsUnder('reject')),
  marksAsSpam('microsoft', QUARANTINES, DMARC, failsUnder('quarantine')),
  marksAsSpam('microsoft', SPF_OR_DKIM, MICROSOFT_SPOOFING, isUnauthenticated),
  rejects('microsoft', '550 5.7.515', ALL_THREE, MICROSOFT, missesOne, 'bulk'),
  rejects('others', '550 5.7.1', REJECTS, DMARC_REPLY, failsUnder('reject')),
  rejects('others', '550 5.7.25', REVERSE_NAME, REVERSE_REPLY, hasNoReverseName),
  rejects(
    'others',
    null,
    'The sending IP address must not be on the combined blocklist.',
    null,
    ({ blocklists }) => blocklists.results.some(({ list, listed }) => list === 'combined' && listed === true),
  ),
  marksAsSpam('others', QUARANTINES, DMARC, failsUnder('quarantine')),
  marksAsSpam('others', SPF_OR_DKIM, null, isUnauthenticated),
  marksAsSpam('others', NOT_LISTED, null, isListed),
];

/** What each receiver does with the message. */
export function receiverOutcomes(judged: Judged): readonly ReceiverOutcome[] {
  return receiverNames.map((receiver) => {
    const broken = receiverRules
      .filter((row) => row.receiver === receiver)
      .flatMap((row) => brokenRule(row, judged));
    return {
      receiver,
      delivery: worst(broken.filter(({ senders }) => senders === 'all')),
      bulkDelivery: worst(broken),
      broken: broken.toSorted((a, b) => rank(b.delivery) - rank(a.delivery)),
    };
  });
}

function brokenRule(
  { senders, delivery, reply, rule, source, isBroken }: RuleRow,
  judged: Judged,
): BrokenRule[] {
  const broken = isBroken(judged);
  if (broken === false) return [];
  return [{ senders, delivery: broken === null ? 'unknown' : delivery, reply, rule, source }];
}

function worst(broken: readonly BrokenRule[]): Delivery {
  return deliveries[Math.max(0, ...broken.map(({ delivery }) => rank(delivery)))] ?? 'delivered';
}

function rank(delivery: Delivery): number {
  return deliveries.indexOf(delivery);
}
