/** Partial credit for MTA-STS: a policy that senders enforce. */
import { absent, always, type CreditRow, unknown } from './row.ts';

/**
 * `testing` only reports what `enforce` would refuse: half way where the interface specification asks for "enforce mode" (`inTesting` 1/2),
 * enough where it asks for a "valid policy" (1). `none` withdraws the policy.
 */
export const mtaSts = ({ inTesting }: { readonly inTesting: number }): readonly CreditRow[] => [
  unknown('mtaSts', 'The MTA-STS policy could not be asked for.'),
  absent(
    'mtaSts',
    'There is no MTA-STS policy.',
    'Publish an MTA-STS record and policy, in mode testing first and then enforce (RFC 8461).',
  ),
  {
    id: 'invalid',
    when: ({ mtaSts }) => !mtaSts.valid,
    share: 0,
    reason: 'The MTA-STS record or policy is not valid, so senders do not apply it.',
    todo: 'Correct the errors of the MTA-STS check.',
  },
  {
    id: 'enforce',
    when: ({ mtaSts }) => mtaSts.policyMode === 'enforce',
    share: 1,
    reason: 'The MTA-STS policy is valid and enforced.',
    todo: null,
  },
  {
    id: 'testing',
    when: ({ mtaSts }) => mtaSts.policyMode === 'testing',
    share: inTesting,
    reason: 'The MTA-STS policy is in mode testing: senders report, and deliver all the same.',
    todo: inTesting === 1 ? null : 'Set the mode of the MTA-STS policy to enforce.',
  },
  {
    id: 'none',
    when: always,
    share: 0,
    reason: 'The MTA-STS policy is in mode none, which withdraws it.',
    todo: 'Set the mode of the MTA-STS policy to testing, and then to enforce.',
  },
];
