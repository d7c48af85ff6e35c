/** Partial credit for TLS-RPT: reports of TLS failures have somewhere to go. */
import { absent, always, type CreditRow, unknown } from './row.ts';

export const tlsRpt: readonly CreditRow[] = [
  unknown('tlsRpt', 'The TLS-RPT record could not be asked for.'),
  {
    id: 'valid',
    when: ({ tlsRpt }) => tlsRpt.valid && tlsRpt.rua.length > 0,
    share: 1,
    reason: 'TLS reports have an address to go to.',
    todo: null,
  },
  absent(
    'tlsRpt',
    'There is no TLS-RPT record.',
    'Publish a TLS-RPT record at _smtp._tls with an address for reports (RFC 8460).',
  ),
  {
    id: 'invalid',
    when: always,
    share: 0,
    reason: 'The TLS-RPT record is not valid, so nobody reports.',
    todo: 'Correct the errors of the TLS-RPT check.',
  },
];
