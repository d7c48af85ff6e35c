/** A domain with one correct MX host, and variations of it. */
import { inspectMx } from '../../../../../shared/checks/mx/inspect.ts';
import type { MxResult } from '../../../../../shared/checks/mx/result.ts';
import type { Authenticate } from '../../../../../shared/checks/mx/tlsa.ts';
import type { CertificateFacts } from '../../../../../shared/network/ports.ts';
import type { TlsaRecord } from '../../../../../shared/protocol/dns.ts';
import { createAuthority } from '../../../../kit/certificates.ts';
import { fakeSmtp, type Says } from '../../../../kit/fake-smtp.ts';
import { type ZoneLiteral, type ZoneNode, zone } from '../../../../kit/zone.ts';
import { networkOf, now } from './example.ts';

const DAY = 86_400_000;
const authority = createAuthority();
const shown = authority.issue(['mx.example.org'], { validFrom: daysFromNow(-30), validTo: daysFromNow(60) });

/** TLSA records for the certificate of the hosts, and for another one. */
export const pinned: TlsaRecord = {
  usage: 3,
  selector: 1,
  matchingType: 1,
  certificate: shown.spkiSha256,
};
export const mismatched: TlsaRecord = { ...pinned, certificate: authority.spkiSha256 };

type Found = Extract<Says, { status: 'found' }>;

/** The behaviour of a correct host, with these TLS properties. */
export function withTls(
  { protocol = 'TLSv1.3', cipher = 'TLS_AES_256_GCM_SHA384' } = {},
  certificate: Partial<CertificateFacts> = {},
): Found {
  const facts: CertificateFacts = {
    validFrom: daysFromNow(-30),
    validTo: daysFromNow(60),
    chain: [shown.der, authority.der],
    trusted: true,
    matchesName: true,
    ...certificate,
  };
  return {
    status: 'found',
    starttls: { status: 'established', protocol, cipher, certificate: facts },
    recipient: 'not-asked',
  };
}

export function unavailable(reason: Extract<Says, { status: 'unavailable' }>['reason']): Says {
  return { status: 'unavailable', reason, detail: reason };
}

export function rejected(reason: Extract<Says, { status: 'rejected' }>['reason']): Says {
  return { status: 'rejected', reason, detail: reason };
}

export interface MxInput {
  /** The MX records of example.org. */
  readonly mx?: ZoneNode['MX'];
  /** The records of example.org instead of `mx`; with `gone`, neither it nor its host exists. */
  readonly domain?: ZoneNode | 'gone';
  /** The records of the host. */
  readonly host?: ZoneNode | 'SERVFAIL';
  readonly says?: Says;
  /** The behaviour of 192.0.2.2, if it differs. */
  readonly saysSecond?: Says;
  /** Its last reply. */
  readonly reply?: string;
  readonly tlsa?: readonly TlsaRecord[] | 'SERVFAIL';
  /** The DNSSEC state of responses: of all, or by name. */
  readonly proof?: Awaited<ReturnType<Authenticate>> | Authenticate;
  readonly zone?: ZoneLiteral;
}

export function inspectMxOf(input: MxInput): Promise<MxResult> {
  const {
    mx = [[10, 'mx.example.org']],
    host = { A: ['192.0.2.1'] },
    says = withTls(),
    tlsa,
    reply = '550 5.7.1 see our page',
  } = input;
  const { domain = { MX: mx }, proof = 'secure' } = input;
  const dns = zone({
    ...(domain === 'gone' ? {} : { 'example.org': domain, 'mx.example.org': host }),
    ...(tlsa === undefined ? {} : { '_25._tcp.mx.example.org': { TLSA: tlsa } }),
    ...input.zone,
  });
  const smtp = fakeSmtp(({ address }) => ({
    ...(address === '192.0.2.2' ? (input.saysSecond ?? says) : says),
    reply,
  }));
  const network = networkOf({ dns, smtp });
  const authenticate = typeof proof === 'function' ? proof : async () => proof;
  return inspectMx('example.org', network, { authenticate, recipient: 'test@example.org' });
}

export function daysFromNow(days: number): Date {
  return new Date(now.getTime() + days * DAY);
}
