/** The spam score rules: the table of the interface specification as data. */

import type { AlignedSignature } from '../protocol/message/evaluate.ts';
import type { BlocklistRole } from './blocklist-zones.ts';
import type { Facts } from './facts.ts';

interface RuleRow {
  readonly score: number;
  /** What was found, and what it means to a receiver. */
  readonly explanation: string;
  /** How to fix it; null for rules that lower the score. */
  readonly fix: string | null;
  /** How often the rule applies. */
  readonly times: (facts: Facts) => number;
}

const spf =
  (...results: Facts['spf']['result'][]) =>
  (facts: Facts) =>
    Number(results.includes(facts.spf.result));

/** A DMARC failure under this policy; a missing policy counts as `none`. */
const dmarcFails = (policy: 'reject' | 'quarantine' | 'none') => (facts: Facts) =>
  Number(facts.dmarc.result === 'fail' && (facts.dmarc.policy ?? 'none') === policy);

const reverse = (status: Facts['reverseDns']['status']) => (facts: Facts) =>
  Number(facts.reverseDns.status === status);

const mx = (status: Facts['senderMx']['status']) => (facts: Facts) =>
  Number(facts.senderMx.status === status);

const listedOn = (role: BlocklistRole) => (facts: Facts) =>
  Number(facts.blocklists.results.some(({ list, listed }) => list === role && listed === true));

/** Duplicates of a signature do not count. */
const isValid = ({ verdict, duplicate }: AlignedSignature) => verdict === 'pass' && !duplicate;

/** A signature that could not be checked is not invalid, and neither is one that fails with a key in test mode. */
const isInvalid = ({ verdict, testing }: AlignedSignature) =>
  !testing && (verdict === 'fail' || verdict === 'neutral' || verdict === 'policy');

const delist =
  "Find and stop the source of the unwanted mail, then request removal on the blocklist's website. The result shows the listing reason.";

export const rules = {
  SPF_PASS: {
    score: -0.2,
    explanation: 'The SPF record of the sender domain authorizes this IP address.',
    fix: null,
    times: spf('pass'),
  },
  SPF_SOFTFAIL: {
    score: 1,
    explanation: 'The SPF record says that this IP address is probably not authorized to send (softfail).',
    fix: 'Add the sending host to the SPF record, or send through a host that the record lists.',
    times: spf('softfail'),
  },
  SPF_FAIL: {
    score: 6,
    explanation: 'The SPF record says that this IP address is not authorized to send for the domain (fail).',
    fix: 'Add the sending host to the SPF record, or send through a host that the record lists.',
    times: spf('fail'),
  },
  SPF_PERMERROR: {
    score: 1.5,
    explanation:
      'SPF evaluation ends in permerror: the record has a syntax error or needs too many DNS lookups.',
    fix: 'Check the domain with the SPF checker and fix the errors that it reports.',
    times: spf('permerror'),
  },
  SPF_TEMPERROR: {
    score: 1,
    explanation: 'A DNS lookup failed during SPF evaluation (temperror).',
    fix: 'Send the message again. If it keeps failing, check the authoritative name servers of the domain and of the domains that its SPF record includes.',
    times: spf('temperror'),
  },
  DKIM_VALID: {
    score: -0.5,
    explanation: 'A DKIM signature is valid: the signed content was not changed in transit.',
    fix: null,
    times: ({ dkim }) => dkim.signatures.filter(isValid).length,
  },
  DKIM_INVALID: {
    score: 6,
    explanation: 'No DKIM signature is valid, and at least one is invalid.',
    fix: 'See the reason listed with the signature. Common causes are a key that is not published and a gateway that changes messages after signing.',
    // Beside a valid signature, an invalid one counts as none (RFC 6376 section 6.1).
    times: ({ dkim }) => Number(!dkim.signatures.some(isValid) && dkim.signatures.some(isInvalid)),
  },
  DMARC_PASS: {
    score: -0.5,
    explanation: 'SPF or DKIM passed with a domain that aligns with the From domain.',
    fix: null,
    times: ({ dmarc }) => Number(dmarc.result === 'pass'),
  },
  DMARC_FAIL_REJECT: {
    score: 2,
    explanation:
      'Neither SPF nor DKIM passed with an aligned domain, and the DMARC policy asks receivers to reject such mail.',
    fix: 'Sign with a DKIM key of the From domain, or use a MAIL FROM address in that domain that passes SPF.',
    times: dmarcFails('reject'),
  },
  DMARC_FAIL_QUARANTINE: {
    score: 1,
    explanation:
      'Neither SPF nor DKIM passed with an aligned domain, and the DMARC policy asks receivers to quarantine such mail.',
    fix: 'Sign with a DKIM key of the From domain, or use a MAIL FROM address in that domain that passes SPF.',
    times: dmarcFails('quarantine'),
  },
  DMARC_FAIL_NONE: {
    score: 0.5,
    explanation:
      'Neither SPF nor DKIM passed with an aligned domain. The DMARC policy asks receivers to take no action.',
    fix: 'Sign with a DKIM key of the From domain, or use a MAIL FROM address in that domain that passes SPF.',
    times: dmarcFails('none'),
  },
  PTR_MISSING: {
    score: 2,
    explanation:
      'The sending IP address has no reverse DNS name (PTR record). Many receivers reject mail from such hosts.',
    fix: 'Ask the provider of the IP address to publish a PTR record with the name of the mail host.',
    times: reverse('missing'),
  },
  PTR_MISMATCH: {
    score: 1.5,
    explanation:
      'The reverse DNS name of the sending IP address does not resolve back to it, or does not match the HELO name.',
    fix: 'Make the HELO name, the PTR record, and the address record of that name agree.',
    times: reverse('mismatch'),
  },
  PTR_VALID: {
    score: -0.1,
    explanation:
      'The reverse DNS name of the sending IP address resolves back to it and matches the HELO name.',
    fix: null,
    times: reverse('valid'),
  },
  MX_NONE: {
    score: 2,
    explanation: 'The sender domain accepts no mail, so replies and bounces cannot be delivered.',
    fix: 'Publish an MX record for the MAIL FROM domain, or use a MAIL FROM domain that has one.',
    times: mx('none'),
  },
  MX_INVALID: {
    score: 1,
    explanation: 'The MX records of the sender domain are invalid.',
    fix: 'Make every MX record point to a host name that has an address record.',
    times: mx('invalid'),
  },
  BLOCKLIST_COMBINED: {
    score: 8,
    explanation: 'The sending IP address is on the combined blocklist, which most receivers use.',
    fix: delist,
    times: listedOn('combined'),
  },
  BLOCKLIST_OPENRELAY: {
    score: 5,
    explanation: 'The sending IP address is on the blocklist of open relays and spam sources.',
    fix: delist,
    times: listedOn('openrelay'),
  },
  BLOCKLIST_REPUTATION: {
    score: 5,
    explanation: 'The sending IP address is on the blocklist of addresses with a poor reputation.',
    fix: delist,
    times: listedOn('reputation'),
  },
  BLOCKLIST_USERREPORTED: {
    score: 4,
    explanation:
      'The sending IP address is on the blocklist of addresses that users reported for sending spam.',
    fix: delist,
    times: listedOn('userreported'),
  },
  MISSING_MID: {
    score: 1,
    explanation:
      'The message has no Message-ID header field, which every mail program adds (RFC 5322 section 3.6.4).',
    fix: 'Configure the sending software to add a Message-ID with its own domain to each message.',
    times: ({ headers }) => Number(headers.messageId === null),
  },
  MISSING_DATE: {
    score: 0.5,
    explanation: 'The message has no Date header field, which is required (RFC 5322 section 3.6.1).',
    fix: 'Configure the sending software to add a Date header field to each message.',
    times: ({ headers }) => Number(headers.dateStatus === 'missing'),
  },
  DATE_IN_FUTURE: {
    score: 2,
    explanation: 'The Date header field is in the future, which is common in spam.',
    fix: 'Correct the clock and the time zone of the sending host.',
    times: ({ headers }) => Number(headers.dateStatus === 'future'),
  },
} as const satisfies Record<string, RuleRow>;

export type RuleId = keyof typeof rules;

export interface ScoreLine {
  readonly rule: RuleId;
  readonly score: number;
  readonly explanation: string;
  readonly fix: string | null;
}

export const verdicts = ['ham', 'probable-spam', 'spam', 'high-spam'] as const;
export type Verdict = (typeof verdicts)[number];

/** The lowest score of each verdict. */
const BOUNDARIES: readonly (readonly [from: number, verdict: Verdict])[] = [
  [10, 'high-spam'],
  [6, 'spam'],
  [3, 'probable-spam'],
];

/** One line for each time a rule applies, in the order of the table. */
export function scoreLines(facts: Facts): readonly ScoreLine[] {
  return (Object.entries(rules) as [RuleId, RuleRow][]).flatMap(
    ([rule, { score, explanation, fix, times }]) =>
      Array.from({ length: times(facts) }, () => ({ rule, score, explanation, fix })),
  );
}

/** The sum of the lines, exact to one decimal. */
export function spamScore(lines: readonly Pick<ScoreLine, 'score'>[]): number {
  return lines.reduce((tenths, { score }) => tenths + Math.round(score * 10), 0) / 10;
}

export function verdictOf(score: number): Verdict {
  return BOUNDARIES.find(([from]) => score >= from)?.[1] ?? 'ham';
}
