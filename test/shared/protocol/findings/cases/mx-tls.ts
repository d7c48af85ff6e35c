import type { Authenticate } from '../../../../../shared/checks/mx/tlsa.ts';
import type { AuthenticationStatus } from '../../../../../shared/protocol/dnssec/reasons.ts';
import { mxTlsRules } from '../../../../../shared/protocol/findings/mx-tls.ts';
import { withoutTls } from '../../../../kit/fake-smtp.ts';
import { examplesOf } from './example.ts';
import { daysFromNow, inspectMxOf, type MxInput, mismatched, pinned, withTls } from './mx-world.ts';

/** The DNSSEC status of the records of one name; all others are secure. */
const stateOf =
  (name: string, status: AuthenticationStatus): Authenticate =>
  async (answer) =>
    answer.status === 'found' && answer.name === name ? status : 'secure';
const host = (status: AuthenticationStatus) => stateOf('mx.example.org', status);
const domain = (status: AuthenticationStatus) => stateOf('example.org', status);
const ofAbsence: Authenticate = async ({ status }) => (status === 'absent' ? 'bogus' : 'secure');

const pinnedBy = (proof: MxInput['proof']): MxInput => ({ tlsa: [pinned], proof });

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
  'mx-tlsa-not-signed': [pinnedBy('insecure'), { proof: 'insecure' }],
  'mx-tlsa-sha1': [
    { tlsa: [mismatched], proof: 'deprecated' },
    { tlsa: [mismatched], proof: 'insecure' },
  ],
  'mx-tlsa-bogus': [pinnedBy(stateOf('_25._tcp.mx.example.org', 'bogus')), pinnedBy(host('bogus'))],
  'mx-tlsa-denial-bogus': [{ proof: ofAbsence }, pinnedBy(ofAbsence)],
  'mx-address-bogus': [pinnedBy(host('bogus')), pinnedBy(domain('bogus'))],
  'mx-records-bogus': [{ proof: domain('bogus') }, { proof: host('bogus') }],
  'mx-tlsa-mismatch': [{ tlsa: [mismatched] }, { tlsa: [mismatched, pinned] }],
  'mx-tlsa-without-tls': [{ tlsa: [pinned], says: withoutTls }, { says: withoutTls }],
  'mx-tlsa-unavailable': [{ tlsa: 'SERVFAIL' }, { tlsa: [] }],
  'mx-dane-partial': [{ ...second, tlsa: [pinned] }, { tlsa: [pinned] }],
  'mx-dane-records-not-signed': [pinnedBy(domain('insecure')), { tlsa: [pinned] }],
  'mx-dane-records-sha1': [pinnedBy(domain('deprecated')), pinnedBy(domain('insecure'))],
});
