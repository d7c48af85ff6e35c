/** Partial credit for TLS-RPT: a valid record with a report address. */
import { absent, always, type CreditRow, unknown } from './row.ts';

export const tlsRpt: readonly CreditRow[] = [
  unknown('tlsRpt', 'The TLS-RPT lookup failed.'),
  {
    id: 'valid',
    when: ({ tlsRpt }) => tlsRpt.valid && tlsRpt.rua.length > 0,
    fraction: 1,
    reason: 'The TLS-RPT record requests TLS reports.',
  },
  absent(
    'tlsRpt',
    'There is no TLS-RPT record.',
    'Publish a TLS-RPT record at _smtp._tls with a report address (RFC 8460).',
  ),
  {
    id: 'invalid',
    when: always,
    fraction: 0,
    reason: 'The TLS-RPT record is invalid, so no TLS reports are sent.',
    todo: 'Fix the errors listed in the TLS-RPT check.',
  },
];
