/** Whether senders can use DANE with one MX host (RFC 7672): its TLSA records, and whether its chain matches them. */
import type { SmtpAnswer } from '../network/ports.ts';
import type { Answer, Found, TlsaRecord } from '../protocol/dns.ts';
import { type Finding, raiser } from '../protocol/findings/finding.ts';
import { mxTlsRules } from '../protocol/findings/mx-tls.ts';
import { DANE_EE, isUsableTlsa, matchesTlsa } from '../protocol/tlsa.ts';

/** Returns the DNSSEC status of an answer. The AD bit of the resolver is not sufficient proof. */
export type Authenticate = (answer: Found<unknown>) => Promise<'secure' | 'insecure' | 'bogus' | 'unknown'>;

const raise = raiser(mxTlsRules);

/** The usable TLSA records of a host, or why there are none. */
export type HostTlsa =
  | {
      readonly status: 'usable';
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
    return { status: 'unknown', findings: [raise('mx-tlsa-unavailable', { host, reason: answer.reason })] };
  }
  switch (await authenticate(answer)) {
    case 'secure':
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
  if (records.length > 0) return { status: 'usable', records, findings: [] };
  return { status: 'none', findings: [raise('mx-tlsa-unusable', { host })] };
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
export const noDane: DaneVerdict = {
  matches: null,
  keyIsPinned: false,
  authorityIsPinned: false,
  findings: [],
};

/** Compares the certificate of a host with its usable records. The certificate may name the host or the domain. */
export function judgeDane(
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
