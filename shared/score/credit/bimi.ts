/** Partial credit for BIMI: the logo that receivers show. A mark certificate is not required. */
import type { BimiResult } from '../../checks/bimi/result.ts';
import { absent, always, type CreditRow, unknown } from './row.ts';

export const bimi: readonly CreditRow[] = [
  unknown('bimi', 'The BIMI lookup failed, or the logo could not be fetched.'),
  {
    id: 'valid',
    when: ({ bimi }) => bimi.valid && bimi.logoValid,
    fraction: 1,
    reason: 'The BIMI record and the logo are valid.',
  },
  {
    id: 'invalid-record',
    when: ({ bimi }) => bimi.logoValid,
    fraction: 1 / 2,
    reason: 'The logo is valid, but the BIMI check has errors, so receivers do not show it.',
    todo: 'Fix the errors listed in the BIMI check.',
  },
  {
    id: 'declined',
    when: ({ bimi }) => declinesBimi(bimi),
    fraction: 0,
    reason: 'The BIMI record declines BIMI, so receivers show no logo.',
    todo: 'To show a logo, set the l tag of the BIMI record to the URL of an SVG Tiny PS logo.',
  },
  absent(
    'bimi',
    'There is no BIMI record.',
    'Publish a BIMI record at default._bimi with the URL of an SVG Tiny PS logo.',
  ),
  {
    id: 'invalid-logo',
    when: always,
    fraction: 0,
    reason: 'The BIMI record does not point to a valid logo.',
    todo: 'Publish the logo as SVG Tiny PS over HTTPS, and set the l tag of the BIMI record to its URL.',
  },
];

/** Whether there is a record that declines BIMI: the check then has the state `absent`. */
export function declinesBimi({ record, state }: BimiResult): boolean {
  return record !== null && state === 'absent';
}
