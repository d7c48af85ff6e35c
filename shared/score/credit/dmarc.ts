/** Partial credit for DMARC, by the policy that receivers apply to the domain, its own or an ancestor's. */
import type { DmarcResult } from '../../checks/results.ts';
import { hasReportAddress } from '../../protocol/dmarc/report-uri.ts';
import type { dmarcRules } from '../../protocol/findings/dmarc.ts';
import type { Finding } from '../../protocol/findings/finding.ts';
import { absent, always, type CreditRow, unknown } from './row.ts';

type Policy = 'none' | 'quarantine' | 'reject';

/** `none` asks for nothing but reports; `quarantine` keeps forged mail from most eyes. */
const senderShare: Readonly<Record<Policy, number>> = { none: 1 / 5, quarantine: 3 / 5, reject: 1 };

/** A domain that sends no mail must be at `reject`: it has no mail of its own to be careful for. */
const nonSenderShare: Readonly<Record<Policy, number>> = { none: 0, quarantine: 0, reject: 1 };

const oneLess: Readonly<Record<Policy, Policy>> = { reject: 'quarantine', quarantine: 'none', none: 'none' };

const unusable: readonly CreditRow[] = [
  unknown('dmarc', 'The DMARC record could not be asked for.'),
  absent(
    'dmarc',
    'There is no DMARC record.',
    'Publish a DMARC record at _dmarc with a policy and an address for reports (RFC 9989).',
  ),
  {
    id: 'invalid',
    when: ({ dmarc }) => dmarc.effectivePolicy === null,
    share: 0,
    reason: 'The DMARC record is not valid, so receivers do not apply it.',
    todo: 'Correct the errors of the DMARC check.',
  },
];

export const dmarcOfSender = policyRows(senderShare);
export const dmarcOfNonSender = policyRows(nonSenderShare);

export const dmarcReporting: readonly CreditRow[] = [
  ...unusable,
  {
    id: 'unauthorized',
    when: ({ dmarc }) => dmarc.findings.some(isUnauthorizedRua),
    share: 1 / 2,
    reason: 'Not every address for aggregate reports may receive them for this domain.',
    todo: 'Have the other domain authorize the reports (RFC 9990 section 4), or use an address of your own.',
  },
  {
    id: 'reporting',
    when: ({ dmarc }) => hasReportAddress(dmarc.rua),
    share: 1,
    reason: 'Aggregate reports have an address to go to.',
    todo: null,
  },
  {
    id: 'no-address',
    when: ({ dmarc }) => dmarc.rua.length > 0,
    share: 0,
    reason: 'The rua tag holds no mail address, so nobody sends aggregate reports.',
    todo: 'Write the address for reports into the rua tag as mailto:user@domain.',
  },
  {
    id: 'no-reporting',
    when: always,
    share: 0,
    reason: 'Nobody is asked for aggregate reports.',
    todo: 'Add a rua tag with an address for reports to the DMARC record.',
  },
];

function policyRows(shares: Readonly<Record<Policy, number>>): readonly CreditRow[] {
  const share = ({ dmarc }: { readonly dmarc: DmarcResult }) => policyShare(dmarc, shares);
  return [
    ...unusable,
    {
      id: 'faulty-tags',
      when: ({ dmarc }) => hasFaultyTagsOnly(dmarc),
      share: (results) => share(results) * (9 / 10),
      reason: 'Receivers ignore the parts of the DMARC record that have errors, and apply the rest.',
      todo: 'Correct the errors of the DMARC check.',
    },
    {
      id: 'faulty',
      when: ({ dmarc }) => !dmarc.valid,
      share: (results) => share(results) / 2,
      reason: 'The DMARC record has errors, for which some receivers discard it.',
      todo: 'Correct the errors of the DMARC check.',
    },
    {
      id: 'testing',
      when: ({ dmarc }) => dmarc.testing && (dmarc.effectivePolicy !== 'none' || dmarc.policy !== 'none'),
      share,
      reason: 'With t=y receivers apply one step less than the policy says.',
      todo: 'Publish p=reject without t=y.',
    },
    {
      id: 'percentage',
      when: ({ dmarc }) => percentageOf(dmarc) < 1 && dmarc.effectivePolicy !== 'none',
      share,
      reason: 'With pct below 100 the policy is applied to a part of the mail only.',
      todo: 'Publish p=reject without the pct tag.',
    },
    {
      id: 'weaker-subdomains',
      when: ({ dmarc }) => policyShare(dmarc, shares) < ownShare(dmarc, shares),
      share,
      reason: 'The policy asks less for subdomains than for the domain, so that their names can be forged.',
      todo: 'Publish p=reject without a weaker sp or np.',
    },
    {
      id: 'reject',
      when: ({ dmarc }) => dmarc.effectivePolicy === 'reject',
      share: 1,
      reason: 'Receivers are asked to reject forged mail.',
      todo: null,
    },
    {
      id: 'quarantine',
      when: ({ dmarc }) => dmarc.effectivePolicy === 'quarantine',
      share,
      reason: 'Receivers are asked to put forged mail aside, and not to reject it.',
      todo: 'Raise the policy to p=reject.',
    },
    {
      id: 'none',
      when: always,
      share,
      reason: 'The policy none lets forged mail through.',
      todo: 'Raise the policy to p=quarantine once your senders pass, and then to p=reject.',
    },
  ];
}

/** Errors that cost the tag they are in, and not the record (RFC 9989 section 4.8). */
const tagErrors: readonly (keyof typeof dmarcRules)[] = [
  'dmarc-invalid-value',
  'dmarc-malformed-tags',
  'dmarc-malformed-uri',
];

function hasFaultyTagsOnly({ findings }: DmarcResult): boolean {
  const errors = findings.filter(({ severity }) => severity === 'error');
  return errors.length > 0 && errors.every((error) => tagErrors.some((rule) => isRule(error, rule)));
}

/** How much of what the policy earns depends on subdomains being protected as well as the domain. */
const SUBDOMAINS = 1 / 5;

function policyShare(dmarc: DmarcResult, shares: Readonly<Record<Policy, number>>): number {
  const own = ownShare(dmarc, shares);
  const below = weakerPolicies(dmarc).map((policy) => shareOf(policy, dmarc, shares));
  return own - SUBDOMAINS * (own - Math.min(own, ...below));
}

function ownShare(dmarc: DmarcResult, shares: Readonly<Record<Policy, number>>): number {
  return shareOf(dmarc.effectivePolicy ?? 'none', dmarc, shares);
}

/**
 * What a policy earns that receivers apply, `t=y` considered. `pct` leaves the rest of the mail to the step below (RFC
 * 7489 section 6.6.4), so the share lies between the two in the same proportion.
 */
function shareOf(policy: Policy, dmarc: DmarcResult, shares: Readonly<Record<Policy, number>>): number {
  const below = shares[oneLess[policy]];
  return below + (shares[policy] - below) * percentageOf(dmarc);
}

/** What receivers apply to subdomains by tags that ask for less than `p`, where the record is asked about subdomains. */
function weakerPolicies({ findings, testing }: DmarcResult): readonly Policy[] {
  if (findings.some((finding) => isRule(finding, 'dmarc-subdomain-policy-ignored'))) return [];
  return findings
    .filter((finding) => isRule(finding, 'dmarc-weaker-subdomain-policy'))
    .map(({ arguments: { value } }) => (testing ? oneLess[value as Policy] : (value as Policy)));
}

/** Reports to another domain need its consent; one address without it may be among several with it. */
function isUnauthorizedRua(finding: Finding): boolean {
  const { tags } = finding.arguments;
  return isRule(finding, 'dmarc-unauthorized-destination') && Array.isArray(tags) && tags.includes('rua');
}

function isRule({ id }: Finding, rule: keyof typeof dmarcRules): boolean {
  return id === rule;
}

function percentageOf(dmarc: DmarcResult): number {
  return Math.min(Math.max(dmarc.percentage ?? 100, 0), 100) / 100;
}
