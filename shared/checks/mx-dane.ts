/** Whether senders can use DANE with one MX host (RFC 7672): its TLSA records, and whether its chain matches them. */
import type { SmtpAnswer } from '../network/ports.ts';
import { type Answer, type Found, type TlsaRecord, whyFailed } from '../protocol/dns.ts';
import type { AuthenticationStatus } from '../protocol/dnssec/reasons.ts';
import { type Finding, raiser } from '../protocol/findings/finding.ts';
import { mxTlsRules } from '../protocol/findings/mx-tls.ts';
import { DANE_EE, isUsableTlsa, matchesTlsa } from '../protocol/tlsa.ts';

/** Returns the DNSSEC status of an answer. The AD bit of the resolver is not sufficient proof. */
export type Authenticate = (answer: Found<unknown>) => Promise<AuthenticationStatus>;

const raise = raiser(mxTlsRules);

/** The usable TLSA records of a host, or why there are none. */
export type HostTlsa =
  | {
      /** `deprecated`: protected only by SHA-1, so that some senders use them and others must not. */
      readonly status: 'usable' | 'deprecated';
      readonly records: readonly TlsaRecord[];
      readonly findings: readonly Finding[];
    }
  /** It is known that senders do not use DANE with this host. */
  | { readonly status: 'none'; readonly findings: readonly Finding[] }
  | { readonly status: 'unknown'; readonly findings: readonly Finding[] };

/** Evaluates the TLSA answer for `_25._tcp.<host>`. */
export async function readHostTlsa(
  host: string,
  answer: Answer<TlsaRecord>,
  authenticate: Authenticate,
): Promise<HostTlsa> {
  if (answer.status === 'absent') return { status: 'none', findings: [] };
  if (answer.status === 'unavailable') {
    return {
      status: 'unknown',
      findings: [raise('mx-tlsa-unavailable', { host, reason: whyFailed(answer) })],
    };
  }
  const authentication = await authenticate(answer);
  switch (authentication) {
    case 'secure':
    case 'deprecated':
      break;
    case 'insecure':
      return { status: 'none', findings: [raise('mx-tlsa-not-signed', { host })] };
    case 'bogus':
      return { status: 'none', findings: [raise('mx-tlsa-bogus', { host })] };
    case 'unknown':
      return {
        status: 'unknown',
        findings: [raise('mx-tlsa-unavailable', { host, reason: 'DNSSEC status unknown' })],
      };
  }
  const records = answer.records.filter(isUsableTlsa);
  if (records.length === 0) return { status: 'none', findings: [raise('mx-tlsa-unusable', { host })] };
  if (authentication === 'secure') return { status: 'usable', records, findings: [] };
  return { status: 'deprecated', records, findings: [raise('mx-tlsa-sha1', { host })] };
}

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
export function judgeDane(
  domain: string,
  host: string,
  tlsa: HostTlsa,
  answer: SmtpAnswer,
  now: Date,
): DaneVerdict {
  if (tlsa.status === 'none' || tlsa.status === 'unknown') return noDane;
  const verdict = compare(domain, host, tlsa.records, answer, now);
  return tlsa.status === 'usable' ? verdict : { ...noDane, findings: verdict.findings };
}

function compare(
  domain: string,
  host: string,
  records: readonly TlsaRecord[],
  answer: SmtpAnswer,
  now: Date,
): DaneVerdict {
  if (answer.status !== 'found') return noDane;
  const ip = answer.evidence.address;
  if (answer.starttls.status !== 'established') {
    return { ...noDane, matches: false, findings: [raise('mx-tlsa-without-tls', { host, ip })] };
  }
  const { chain } = answer.starttls.certificate;
  const matching = records.filter((record) => matchesTlsa(record, chain, [host, domain], now));
  if (matching.length === 0) {
    return { ...noDane, matches: false, findings: [raise('mx-tlsa-mismatch', { host, ip })] };
  }
  const keyIsPinned = matching.some(({ usage }) => usage === DANE_EE);
  return { matches: true, keyIsPinned, authorityIsPinned: true, findings: [] };
}
