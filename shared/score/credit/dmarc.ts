/** Partial credit for DMARC, by the policy that receivers apply to the domain: its own or that of an ancestor. */
import type { DmarcResult } from '../../checks/dmarc/result.ts';
import { reportHost } from '../../protocol/dmarc/report-uri.ts';
import { type dmarcRules, READ_REPORTS } from '../../protocol/findings/dmarc.ts';
import type { Finding } from '../../protocol/findings/finding.ts';
import { absent, always, type CreditRow, unknown } from './row.ts';

type Policy = 'none' | 'quarantine' | 'reject';

/** What a usage type earns for each policy, and what has to be known before the policy may become stronger. */
interface Usage {
  readonly fractions: Readonly<Record<Policy, number>>;
  readonly firstRecord: string;
  readonly before: string;
}

/** `none` only requests reports. `quarantine` keeps forged mail out of most inboxes. */
const sender: Usage = {
  fractions: { none: 1 / 5, quarantine: 3 / 5, reject: 1 },
  firstRecord: 'Publish a DMARC record with p=none and a report address at _dmarc (RFC 9989).',
  before: READ_REPORTS,
};

/** A domain that sends no mail must use `reject`: it has no legitimate mail that a strict policy could harm. */
const nonSender: Usage = {
  fractions: { none: 0, quarantine: 0, reject: 1 },
  firstRecord: 'Publish a DMARC record with p=reject and a report address at _dmarc (RFC 9989).',
  before: 'If your DMARC reports show no legitimate mail from the domain,',
};

const oneLess: Readonly<Record<Policy, Policy>> = { reject: 'quarantine', quarantine: 'none', none: 'none' };

const unusable = ({ firstRecord }: Usage): readonly CreditRow[] => [
  unknown('dmarc', 'The DMARC lookup failed.'),
  absent('dmarc', 'There is no DMARC record.', firstRecord),
  {
    id: 'invalid',
    when: ({ dmarc }) => dmarc.effectivePolicy === null,
    fraction: 0,
    reason: 'The DMARC record is invalid, so receivers do not apply it.',
    todo: 'Fix the errors listed in the DMARC check.',
  },
];

export const dmarcOfSender = policyRows(sender);
export const dmarcOfNonSender = policyRows(nonSender);

export const dmarcReporting: readonly CreditRow[] = [
  ...unusable(sender),
  {
    id: 'unauthorized',
    when: ({ dmarc }) => hasUnauthorizedRua(dmarc),
    fraction: 1 / 2,
    reason: 'Not every rua address is authorized to receive reports for this domain.',
    todo: 'Ask the other domain to authorize the reports (RFC 9990 section 4), or use an address of your own.',
  },
  {
    id: 'reporting',
    when: ({ dmarc }) => dmarc.rua.some((uri) => reportHost(uri) !== null),
    fraction: 1,
    reason: 'The rua tag requests aggregate reports.',
  },
  {
    id: 'no-address',
    when: ({ dmarc }) => dmarc.rua.length > 0,
    fraction: 0,
    reason: 'The rua tag contains no email address, so no aggregate reports are sent.',
    todo: 'Write the report address in the rua tag as mailto:user@domain.',
  },
  {
    id: 'no-reporting',
    when: always,
    fraction: 0,
    reason: 'There is no rua tag, so no aggregate reports are sent.',
    todo: 'Add a rua tag with a report address to the DMARC record.',
  },
];

function policyRows(usage: Usage): readonly CreditRow[] {
  const { fractions, before } = usage;
  const fraction = ({ dmarc }: { readonly dmarc: DmarcResult }) => policyFraction(dmarc, fractions);
  return [
    ...unusable(usage),
    {
      id: 'faulty-tags',
      when: ({ dmarc }) => hasFaultyTagsOnly(dmarc),
      fraction: (results) => fraction(results) * (9 / 10),
      reason: 'The DMARC record has errors. Receivers ignore the affected tags and apply the rest.',
      todo: 'Fix the errors listed in the DMARC check.',
    },
    {
      id: 'faulty',
      when: ({ dmarc }) => !dmarc.valid,
      fraction: (results) => fraction(results) / 2,
      reason: 'The DMARC record has errors that make some receivers discard it.',
      todo: 'Fix the errors listed in the DMARC check.',
    },
    {
      id: 'testing',
      when: ({ dmarc }) => dmarc.testing && (dmarc.effectivePolicy !== 'none' || dmarc.policy !== 'none'),
      fraction,
      reason: 't=y (test mode) is set: receivers apply the next weaker policy.',
      todo: `${before} you can end the test: remove t=y.`,
    },
    {
      id: 'percentage',
      when: ({ dmarc }) => percentageOf(dmarc) < 1 && dmarc.effectivePolicy !== 'none',
      fraction,
      reason: 'pct is below 100, so the policy applies to only part of the failing mail.',
      todo: `${before} you can remove pct.`,
    },
    {
      id: 'weaker-subdomains',
      when: ({ dmarc }) => policyFraction(dmarc, fractions) < ownFraction(dmarc, fractions),
      fraction,
      reason:
        'The policy for subdomains is weaker than the policy for the domain, so subdomains can be forged.',
      todo: `${before} you can raise sp and np to the policy of the domain.`,
    },
    {
      id: 'reject',
      when: ({ dmarc }) => dmarc.effectivePolicy === 'reject',
      fraction: 1,
      reason: 'The DMARC policy asks receivers to reject forged mail.',
    },
    {
      id: 'quarantine',
      when: ({ dmarc }) => dmarc.effectivePolicy === 'quarantine',
      fraction,
      reason: 'The DMARC policy asks receivers to quarantine forged mail, not to reject it.',
      todo: `${before} you can raise the policy to p=reject, unless users of the domain write to mailing lists (RFC 9989 section 7.4).`,
    },
    {
      id: 'none',
      when: always,
      fraction,
      reason: 'The DMARC policy is none, so forged mail is delivered.',
      todo: `${before} you can raise the policy to p=quarantine.`,
    },
  ];
}

/** Errors that affect only their tag, not the whole record (RFC 9989 section 4.8). */
const tagErrors: readonly (keyof typeof dmarcRules)[] = [
  'dmarc-invalid-value',
  'dmarc-malformed-tags',
  'dmarc-malformed-uri',
];

function hasFaultyTagsOnly({ findings }: DmarcResult): boolean {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.length > 0 && errors.every((error) => tagErrors.some((rule) => isRule(error, rule)));
}

/** The share of the policy credit that depends on subdomains being protected as well as the domain. */
const SUBDOMAINS = 1 / 5;

function policyFraction(dmarc: DmarcResult, fractions: Readonly<Record<Policy, number>>): number {
  const own = ownFraction(dmarc, fractions);
  const below = weakerPolicies(dmarc).map((policy) => fractionOf(policy, dmarc, fractions));
  return own - SUBDOMAINS * (own - Math.min(own, ...below));
}

function ownFraction(dmarc: DmarcResult, fractions: Readonly<Record<Policy, number>>): number {
  return fractionOf(dmarc.effectivePolicy ?? 'none', dmarc, fractions);
}

/**
 * The share for a policy that receivers apply, after `t=y`. With `pct`, the next weaker policy applies to the rest of
 * the mail (RFC 7489 section 6.6.4), so the share lies between those of the two policies in the same proportion. Beside
 * `t=y`, `pct` costs nothing: no receiver applies less than the policy that is already one step weaker.
 */
function fractionOf(policy: Policy, dmarc: DmarcResult, fractions: Readonly<Record<Policy, number>>): number {
  const below = fractions[oneLess[policy]];
  return below + (fractions[policy] - below) * percentageOf(dmarc);
}

/** The policies that receivers apply to subdomains because of tags weaker than `p`. */
function weakerPolicies(dmarc: DmarcResult): readonly Policy[] {
  const { findings, testing, subdomainPolicy, nonexistentSubdomainPolicy } = dmarc;
  const weaker = findings.filter((finding) => isRule(finding, 'dmarc-weaker-subdomain-policy'));
  return weaker.flatMap(({ subject }) => {
    const policy = subject === 'np' ? nonexistentSubdomainPolicy : subdomainPolicy;
    if (policy !== 'none' && policy !== 'quarantine') return [];
    return [testing ? oneLess[policy] : policy];
  });
}

/** Reports to another domain need its authorization. One address without it may be among several that have it. */
function hasUnauthorizedRua({ findings, rua }: DmarcResult): boolean {
  const unauthorized = findings.filter((finding) => isRule(finding, 'dmarc-unauthorized-destination'));
  const hosts = new Set(unauthorized.map(({ subject }) => subject));
  return rua.some((uri) => hosts.has(reportHost(uri) ?? undefined));
}

function isRule({ id }: Finding, rule: keyof typeof dmarcRules): boolean {
  return id === rule;
}

function percentageOf(dmarc: DmarcResult): number {
  return dmarc.testing ? 1 : Math.min(Math.max(dmarc.percentage ?? 100, 0), 100) / 100;
}
