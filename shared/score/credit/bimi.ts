/** Partial credit for BIMI: the logo that receivers show. A mark certificate is not asked for. */
import type { BimiResult } from '../../checks/results.ts';
import { absent, always, type CreditRow, unknown } from './row.ts';

export const bimi: readonly CreditRow[] = [
  unknown('bimi', 'The BIMI record or its logo could not be asked for.'),
  {
    id: 'valid',
    when: ({ bimi }) => bimi.valid && bimi.logoValid,
    share: 1,
    reason: 'BIMI names a valid logo.',
    todo: null,
  },
  {
    id: 'invalid-record',
    when: ({ bimi }) => bimi.logoValid,
    share: 1 / 2,
    reason: 'The logo is valid, but BIMI as a whole is not, so receivers do not show it.',
    todo: 'Correct the errors of the BIMI check.',
  },
  {
    id: 'declined',
    when: ({ bimi }) => declinesBimi(bimi),
    share: 0,
    reason: 'The BIMI record declines to show a logo.',
    todo: 'Name an SVG Tiny PS logo in the l tag of the BIMI record, if receivers are to show one.',
  },
  absent(
    'bimi',
    'There is no BIMI record.',
    'Publish a BIMI record at default._bimi with the address of an SVG Tiny PS logo.',
  ),
  {
    id: 'invalid-logo',
    when: always,
    share: 0,
    reason: 'The BIMI record leads to no valid logo.',
    todo: 'Publish the logo as SVG Tiny PS over HTTPS and name it in the l tag of the BIMI record.',
  },
];

/** Whether there is a record, and it says that the domain takes no part in BIMI: the check finds nothing to look at. */
export function declinesBimi({ record, state }: BimiResult): boolean {
  return record !== null && state === 'absent';
}
