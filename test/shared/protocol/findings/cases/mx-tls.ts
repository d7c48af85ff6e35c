import type { Authenticate } from '../../../../../shared/checks/mx/tlsa.ts';
import type { AuthenticationStatus } from '../../../../../shared/protocol/dnssec/reasons.ts';
import { mxTlsRules } from '../../../../../shared/protocol/findings/mx-tls.ts';
import { examplesOf } from './example.ts';
import {
  daysFromNow,
  inspectMxOf,
  type MxInput,
  mismatched,
  pinned,
  withoutTls,
  withTls,
} from './mx-world.ts';

/** The DNSSEC status of the records of one name; all others are secure. */
const stateOf =
  (name: string, status: AuthenticationStatus): Authenticate =>
  async (answer) =>
    answer.status === 'found' && answer.name === name ? status : 'secure';
const ofAbsence: Authenticate = async ({ status }) => (status === 'absent' ? 'bogus' : 'secure');

const refusesStarttls = {
  ...withTls(),
  starttls: { status: 'failed', reason: 'reply', detail: '454 TLS not available' },
} as const;
const shows = (certificate: Parameters<typeof withTls>[1]): MxInput => ({ says: withTls({}, certificate) });
const second = {
  mx: [
    [10, 'mx.example.org'],
    [20, 'mx2.example.org'],
  ],
  zone: { 'mx2.example.org': { A: ['192.0.2.2'] } },
} as const;

export const mxTlsExamples = examplesOf<MxInput>('mx', mxTlsRules, inspectMxOf, {
  'mx-no-starttls': [{ says: withoutTls }, { says: refusesStarttls }],
  'mx-starttls-failed': [{ says: refusesStarttls }, { says: withoutTls }],
  'mx-tls-old': [{ says: withTls({ protocol: 'TLSv1.1' }) }, { says: withTls({ protocol: 'TLSv1.2' }) }],
  'mx-tls-weak': [
    { says: withTls({ cipher: 'ECDHE-RSA-RC4-SHA' }) },
    { says: withTls({ cipher: 'ECDHE-RSA-AES128-GCM-SHA256' }) },
  ],
  'mx-certificate-expired': [shows({ validTo: daysFromNow(-1) }), shows({ validTo: daysFromNow(1) })],
  'mx-certificate-not-yet-valid': [
    shows({ validFrom: daysFromNow(1) }),
    shows({ validFrom: daysFromNow(-1) }),
  ],
  'mx-certificate-expiring': [shows({ validTo: daysFromNow(9) }), shows({ validTo: daysFromNow(11) })],
  'mx-certificate-name': [shows({ matchesName: false }), shows({ matchesName: true })],
  'mx-certificate-untrusted': [
    shows({ trusted: false, untrustedReason: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    // The key itself is in DNS and needs no authority.
    { ...shows({ trusted: false }), tlsa: [pinned] },
  ],
  'mx-backup-weaker': [
    { ...second, saysSecond: withoutTls },
    { ...second, says: withoutTls },
  ],
  'mx-tlsa-unusable': [{ tlsa: [{ ...pinned, usage: 1 }] }, { tlsa: [pinned] }],
  'mx-tlsa-not-signed': [{ tlsa: [pinned], proof: 'insecure' }, { proof: 'insecure' }],
  'mx-tlsa-sha1': [
    { tlsa: [mismatched], proof: 'deprecated' },
    { tlsa: [mismatched], proof: 'insecure' },
  ],
  'mx-tlsa-bogus': [
    { tlsa: [pinned], proof: stateOf('_25._tcp.mx.example.org', 'bogus') },
    { tlsa: [pinned], proof: stateOf('mx.example.org', 'bogus') },
  ],
  'mx-tlsa-denial-bogus': [{ proof: ofAbsence }, { tlsa: [pinned], proof: ofAbsence }],
  'mx-address-bogus': [
    { tlsa: [pinned], proof: stateOf('mx.example.org', 'bogus') },
    { tlsa: [pinned], proof: stateOf('example.org', 'bogus') },
  ],
  'mx-records-bogus': [
    { proof: stateOf('example.org', 'bogus') },
    { proof: stateOf('mx.example.org', 'bogus') },
  ],
  'mx-tlsa-mismatch': [{ tlsa: [mismatched] }, { tlsa: [mismatched, pinned] }],
  'mx-tlsa-without-tls': [{ tlsa: [pinned], says: withoutTls }, { says: withoutTls }],
  'mx-tlsa-unavailable': [{ tlsa: 'SERVFAIL' }, { tlsa: [] }],
  'mx-dane-partial': [{ ...second, tlsa: [pinned] }, { tlsa: [pinned] }],
  'mx-dane-records-not-signed': [
    { tlsa: [pinned], proof: stateOf('example.org', 'insecure') },
    { tlsa: [pinned] },
  ],
  'mx-dane-records-sha1': [
    { tlsa: [pinned], proof: stateOf('example.org', 'deprecated') },
    { tlsa: [pinned], proof: stateOf('example.org', 'insecure') },
  ],
});
