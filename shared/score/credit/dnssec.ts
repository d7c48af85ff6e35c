/** Partial credit for DNSSEC: signatures, and a chain of trust that makes them count. */
import { always, type CreditRow, unknown } from './row.ts';

export const dnssec: readonly CreditRow[] = [
  unknown('dnssec', 'The DNSSEC chain could not be asked for.'),
  {
    id: 'valid',
    when: ({ dnssec }) => dnssec.enabled && dnssec.valid && dnssec.chainValid,
    share: 1,
    reason: 'The zone is signed and its chain of trust is valid.',
    todo: null,
  },
  {
    id: 'broken',
    when: ({ dnssec }) => dnssec.state === 'fail' || (dnssec.enabled && !dnssec.valid),
    share: 0,
    reason: 'DNSSEC is broken: validating resolvers refuse the answers of the zone.',
    todo: 'Correct the errors of the DNSSEC check, or withdraw the DS record until they are.',
  },
  {
    id: 'no-chain',
    when: ({ dnssec }) => dnssec.enabled,
    share: 1 / 5,
    reason: 'The zone is signed, but no chain of trust leads to it, so that nobody checks the signatures.',
    todo: 'Have the registrar publish the DS record of the zone.',
  },
  {
    id: 'absent',
    when: always,
    share: 0,
    reason: 'The zone is not signed.',
    todo: 'Sign the zone and have the registrar publish its DS record.',
  },
];
