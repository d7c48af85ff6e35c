/** Whether senders with DANE can deliver to one address of an MX host (RFC 7672): whether its chain matches its TLSA records. */
import type { CertificateFacts, Smtp, SmtpAnswer } from '../../network/ports.ts';
import type { TlsaRecord } from '../../protocol/dns.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { mxRules } from '../../protocol/findings/mx.ts';
import { mxTlsRules } from '../../protocol/findings/mx-tls.ts';
import { isNamed, matchesLeaf, trustAnchors } from '../../protocol/tlsa.ts';
import { probeTrusting } from './mail-host.ts';
import type { HostTlsa } from './tlsa.ts';

const raise = raiser({ ...mxRules, ...mxTlsRules });

export interface DaneVerdict {
  /** Null if the host could not be checked. */
  readonly matches: boolean | null;
  /** The certificate needs no CA, name or dates, because its key itself is in DNS (RFC 7672 section 3.1.1). */
  readonly keyIsPinned: boolean;
  /** Senders find the CA of the chain in DNS (RFC 7672 section 3.1.2). */
  readonly authorityIsPinned: boolean;
  readonly findings: readonly Finding[];
}

/** The verdict on a host without usable records. */
const noDane: DaneVerdict = {
  matches: null,
  keyIsPinned: false,
  authorityIsPinned: false,
  findings: [],
};

/**
 * Compares the certificate of a host with its TLSA records. The certificate may name the host or the domain. Records
 * that are protected only by SHA-1 protect nothing, but a mismatch still loses the mail of senders whose resolvers
 * validate them.
 */
export async function judgeDane(
  domain: string,
  host: string,
  tlsa: HostTlsa,
  answer: SmtpAnswer,
  smtp: Smtp,
): Promise<DaneVerdict> {
  if (tlsa.status === 'none' || tlsa.status === 'unknown' || answer.status !== 'found') return noDane;
  const ip = answer.evidence.address;
  if (answer.starttls.status !== 'established') {
    return { ...noDane, matches: false, findings: [raise('mx-tlsa-without-tls', { host, ip })] };
  }
  if (tlsa.status === 'unusable') return noDane;
  const { certificate } = answer.starttls;
  const verdict = matchesLeaf(tlsa.records, certificate.chain)
    ? { ...noDane, matches: true, keyIsPinned: true, authorityIsPinned: true }
    : await judgeAuthority([tlsa.base, domain], host, tlsa.records, answer, certificate, smtp);
  return tlsa.status === 'usable' ? verdict : { ...noDane, findings: verdict.findings };
}

/**
 * Whether the chain leads to a CA in the records. OpenSSL decides, as for most senders: in a second handshake that trusts
 * these certificates alone.
 */
async function judgeAuthority(
  names: readonly string[],
  host: string,
  records: readonly TlsaRecord[],
  { evidence }: SmtpAnswer,
  { chain }: CertificateFacts,
  smtp: Smtp,
): Promise<DaneVerdict> {
  const ip = evidence.address;
  const mismatch = (reason?: string): DaneVerdict => ({
    ...noDane,
    matches: false,
    findings: [raise('mx-tlsa-mismatch', { host, ip, ...(reason === undefined ? {} : { reason }) })],
  });
  const anchors = trustAnchors(records, chain);
  if (anchors.length === 0) return mismatch();
  if (!isNamed(chain, names)) return mismatch('the certificate has another name');
  const again = await probeTrusting(anchors, evidence, smtp);
  if (again.status !== 'found' || again.starttls.status !== 'established') {
    const reason = again.status === 'found' ? 'STARTTLS failed' : again.reason;
    return { ...noDane, authorityIsPinned: true, findings: [raise('mx-not-asked', { host, ip, reason })] };
  }
  const { trusted, untrustedReason } = again.starttls.certificate;
  return trusted ? { ...noDane, matches: true, authorityIsPinned: true } : mismatch(untrustedReason);
}
