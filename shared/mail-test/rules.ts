/** What each finding adds to the spam score, and why: the table of the specification as data. */

import type { AlignedSignature } from '../protocol/message/evaluate.ts';
import type { BlocklistRole } from './blocklist-zones.ts';
import type { Facts } from './facts.ts';

interface RuleRow {
  readonly score: number;
  /** What was found, and what it means to a receiver. */
  readonly explanation: string;
  /** What to do; null where all is well. */
  readonly fix: string | null;
  /** How often the rule applies. */
  readonly times: (facts: Facts) => number;
}

const spf =
  (...results: Facts['spf']['result'][]) =>
  (facts: Facts) =>
    Number(results.includes(facts.spf.result));

/** A failure that the record's policy is applied to; without a policy nothing more than a failure is asked for. */
const dmarcFails = (policy: 'reject' | 'quarantine' | 'none') => (facts: Facts) =>
  Number(facts.dmarc.result === 'fail' && (facts.dmarc.policy ?? 'none') === policy);

const reverse = (status: Facts['reverseDns']['status']) => (facts: Facts) =>
  Number(facts.reverseDns.status === status);

const mx = (status: Facts['senderMx']['status']) => (facts: Facts) =>
  Number(facts.senderMx.status === status);

const listedOn = (role: BlocklistRole) => (facts: Facts) =>
  Number(facts.blocklists.results.some(({ list, listed }) => list === role && listed === true));

/** However often a signature is copied, it is one. */
const isValid = ({ verdict, duplicate }: AlignedSignature) => verdict === 'pass' && !duplicate;

/** What could not be asked or was not looked at is not invalid, nor is a failure of a key under test. */
const isInvalid = ({ verdict, testing }: AlignedSignature) =>
  !testing && (verdict === 'fail' || verdict === 'neutral' || verdict === 'policy');

const delist =
  'Find out what was sent from this address and stop it, then ask the list to remove it on its web site; its reason is shown with the result.';

export const rules = {
  SPF_PASS: {
    score: -0.2,
    explanation: 'The SPF record of the sender domain lets this address send.',
    fix: null,
    times: spf('pass'),
  },
  SPF_SOFTFAIL: {
    score: 1,
    explanation: 'The SPF record probably does not let this address send (~all).',
    fix: 'Add the sending host to the SPF record, or send through a host that it lists.',
    times: spf('softfail'),
  },
  SPF_FAIL: {
    score: 6,
    explanation: 'The SPF record says that this address must not send for the domain (-all).',
    fix: 'Add the sending host to the SPF record, or send through a host that it lists.',
    times: spf('fail'),
  },
  SPF_PERMERROR: {
    score: 1.5,
    explanation: 'The SPF record cannot be evaluated: it is malformed, or needs too many look-ups.',
    fix: 'Check the domain with the SPF checker and mend what it names.',
    times: spf('permerror'),
  },
  SPF_TEMPERROR: {
    score: 1,
    explanation: 'The DNS did not answer while SPF was evaluated.',
    fix: 'Send again; if it happens again, check the name servers of the domain and of what its record includes.',
    times: spf('temperror'),
  },
  DKIM_VALID: {
    score: -0.5,
    explanation: 'A DKIM signature is valid: the message arrived as it was signed.',
    fix: null,
    times: ({ dkim }) => dkim.signatures.filter(isValid).length,
  },
  DKIM_INVALID: {
    score: 6,
    explanation: 'A DKIM signature is not valid.',
    fix: 'The reason stands with the signature: most often a key that is not published, or a gateway that changes mail after signing.',
    times: ({ dkim }) => Number(dkim.signatures.some(isInvalid)),
  },
  DMARC_PASS: {
    score: -0.5,
    explanation: 'SPF or DKIM passed for the domain that the author claims.',
    fix: null,
    times: ({ dmarc }) => Number(dmarc.result === 'pass'),
  },
  DMARC_FAIL_REJECT: {
    score: 2,
    explanation:
      'Neither SPF nor DKIM passed for the author domain, which asks receivers to reject such mail.',
    fix: 'Sign with a key of the author domain, or send with a MAIL FROM in it that SPF allows.',
    times: dmarcFails('reject'),
  },
  DMARC_FAIL_QUARANTINE: {
    score: 1,
    explanation:
      'Neither SPF nor DKIM passed for the author domain, which asks receivers to treat such mail as suspicious.',
    fix: 'Sign with a key of the author domain, or send with a MAIL FROM in it that SPF allows.',
    times: dmarcFails('quarantine'),
  },
  DMARC_FAIL_NONE: {
    score: 0.5,
    explanation: 'Neither SPF nor DKIM passed for the author domain, which asks for no consequence.',
    fix: 'Sign with a key of the author domain, or send with a MAIL FROM in it that SPF allows.',
    times: dmarcFails('none'),
  },
  PTR_MISSING: {
    score: 2,
    explanation: 'The sending address has no name in reverse DNS. Many receivers refuse such hosts.',
    fix: 'Have the provider of the address publish a PTR record with the name of the mail host.',
    times: reverse('missing'),
  },
  PTR_MISMATCH: {
    score: 1.5,
    explanation:
      'The reverse name of the sending address does not lead back to it, or is not what the host calls itself.',
    fix: 'Let HELO, the PTR record and the address record of that name all agree.',
    times: reverse('mismatch'),
  },
  PTR_VALID: {
    score: -0.1,
    explanation:
      'The reverse name of the sending address leads back to it and fits what the host calls itself.',
    fix: null,
    times: reverse('valid'),
  },
  MX_NONE: {
    score: 2,
    explanation: 'The sender domain takes no mail, so nobody can answer and no bounce can be delivered.',
    fix: 'Publish an MX record for the domain of MAIL FROM, or send with a domain that has one.',
    times: mx('none'),
  },
  MX_INVALID: {
    score: 1,
    explanation: 'The MX records of the sender domain are broken.',
    fix: 'Let every MX record name a host that has an address.',
    times: mx('invalid'),
  },
  BLOCKLIST_COMBINED: {
    score: 8,
    explanation: 'The sending address is on the combined blocklist, which most receivers use.',
    fix: delist,
    times: listedOn('combined'),
  },
  BLOCKLIST_OPENRELAY: {
    score: 5,
    explanation: 'The sending address is on the list of open relays and spam sources.',
    fix: delist,
    times: listedOn('openrelay'),
  },
  BLOCKLIST_REPUTATION: {
    score: 5,
    explanation: 'The sending address is on the list of addresses with a poor reputation.',
    fix: delist,
    times: listedOn('reputation'),
  },
  BLOCKLIST_USERREPORTED: {
    score: 4,
    explanation: 'The sending address is on the list of addresses that users reported for spam.',
    fix: delist,
    times: listedOn('userreported'),
  },
  MISSING_MID: {
    score: 1,
    explanation: 'The message has no Message-ID, which every mail program adds (RFC 5322 section 3.6.4).',
    fix: 'Let the sending software add a Message-ID with its own domain to each message.',
    times: ({ headers }) => Number(headers.messageId === null),
  },
  MISSING_DATE: {
    score: 0.5,
    explanation: 'The message has no Date, which every message must have (RFC 5322 section 3.6.1).',
    fix: 'Let the sending software add the Date.',
    times: ({ headers }) => Number(headers.dateStatus === 'missing'),
  },
  DATE_IN_FUTURE: {
    score: 2,
    explanation: 'The Date lies in the future, as in much spam.',
    fix: 'Set the clock and the time zone of the sending host.',
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

/** From which score on each verdict holds: a score on a boundary belongs to the higher range. */
const BOUNDARIES: readonly (readonly [from: number, verdict: Verdict])[] = [
  [10, 'high-spam'],
  [6, 'spam'],
  [3, 'probable-spam'],
];

/** A line for each time that a rule applies, in the order of the table. */
export function scoreLines(facts: Facts): readonly ScoreLine[] {
  return (Object.entries(rules) as [RuleId, RuleRow][]).flatMap(
    ([rule, { score, explanation, fix, times }]) =>
      Array.from({ length: times(facts) }, () => ({ rule, score, explanation, fix })),
  );
}

/** The sum of the lines, exact in tenths. */
export function spamScore(lines: readonly Pick<ScoreLine, 'score'>[]): number {
  return lines.reduce((tenths, { score }) => tenths + Math.round(score * 10), 0) / 10;
}

export function verdictOf(score: number): Verdict {
  return BOUNDARIES.find(([from]) => score >= from)?.[1] ?? 'ham';
}
