/** Partial credit for MTA-STS: a policy that senders enforce. */ import {
  absent,
  always,
  type CreditRow,
  unknown,
} from './row.ts';

/**
 * `testing` only reports what `enforce` would refuse. It earns half (`inTesting` 1/2) if the interface specification
 * requires "enforce mode", and everything (1) if it requires a "valid policy". `none` withdraws the policy.
 */
export const mtaSts = ({ inTesting }: { readonly inTesting: number }): readonly CreditRow[] => [
  unknown('mtaSts', 'The MTA-STS lookup failed, or the policy could not be fetched.'),
  {
    id: 'policy-without-record',
    when: ({ mtaSts: { state, policyMode } }) => state === 'absent' && policyMode !== null,
    fraction: 0,
    reason: 'An MTA-STS policy is served, but there is no record, so senders do not look for it.',
    todo: 'Publish the MTA-STS record, once the policy that is served names every MX host (RFC 8461).',
  },
  absent(
    'mtaSts',
    'There is no MTA-STS policy.',
    'Publish an MTA-STS record and policy, first in testing mode and later in enforce mode (RFC 8461).',
  ),
  {
    id: 'invalid',
    when: ({ mtaSts }) => !mtaSts.valid,
    fraction: 0,
    reason: 'The MTA-STS record or policy is invalid, so senders do not apply it.',
    todo: 'Fix the errors listed in the MTA-STS check.',
  },
  {
    id: 'enforce',
    when: ({ mtaSts }) => mtaSts.policyMode === 'enforce',
    fraction: 1,
    reason: 'The MTA-STS policy is valid and in enforce mode.',
  },
  {
    id: 'testing',
    when: ({ mtaSts }) => mtaSts.policyMode === 'testing',
    fraction: inTesting,
    reason: 'The MTA-STS policy is in testing mode: senders report failures but still deliver the mail.',
    todo:
      inTesting === 1
        ? undefined
        : 'Once TLS reports show no failures, set the mode of the MTA-STS policy to enforce.',
  },
  {
    id: 'none',
    when: always,
    fraction: 0,
    reason: 'The mode of the MTA-STS policy is none, which withdraws the policy.',
    todo: 'If you did not mean to withdraw MTA-STS, serve the earlier policy again.',
  },
];
