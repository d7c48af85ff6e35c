/** Which TLSA records senders use for one MX host (RFC 7672 section 2.2), or why they use none. */
import {
  type Absent,
  type Answer,
  type Dns,
  type Found,
  type TlsaRecord,
  whyFailed,
} from '../../protocol/dns.ts';
import { type AuthenticationStatus, isValidated } from '../../protocol/dnssec/reasons.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { mxTlsRules } from '../../protocol/findings/mx-tls.ts';
import { lookupTlsa, usableTlsa } from '../../protocol/tlsa.ts';

/**
 * Returns the DNSSEC status of an answer, also of one that says that there are no records. The AD bit of the resolver is
 * not sufficient proof.
 */
export type Authenticate = (answer: Found<unknown> | Absent) => Promise<AuthenticationStatus>;

const raise = raiser(mxTlsRules);

/** The usable TLSA records of a host, or why there are none. */
export type HostTlsa =
  | {
      /** `deprecated`: protected only by SHA-1, so that some senders use them and others must not. */
      readonly status: 'usable' | 'deprecated';
      /** The name below which they are, which a certificate can have (the TLSA base domain). */
      readonly base: string;
      readonly records: readonly TlsaRecord[];
      readonly findings: readonly Finding[];
    }
  /** There are records, but none is usable: senders need STARTTLS, with any certificate (RFC 7672 section 2.2). */
  | { readonly status: 'unusable'; readonly findings: readonly Finding[] }
  /** It is known that senders do not use DANE with this host. */
  | { readonly status: 'none'; readonly findings: readonly Finding[] }
  | { readonly status: 'unknown'; readonly findings: readonly Finding[] };

const none: HostTlsa = { status: 'none', findings: [] };

/**
 * Finds the TLSA records of `host`. `lookups` are those of its A and AAAA records. If the host is an alias, the TLSA
 * records of the name that it leads to come first (RFC 7672 section 2.2.3).
 */
export async function findTlsa(
  host: string,
  lookups: Promise<readonly Answer<string>[]>,
  dns: Dns,
  authenticate: Authenticate,
): Promise<HostTlsa> {
  const [own, addresses] = await Promise.all([lookupTlsa(host, dns), lookups]);
  const found = addresses.filter((answer) => answer.status === 'found');
  const statuses = await Promise.all(found.map(authenticate));
  if (statuses.includes('bogus')) return { status: 'none', findings: [raise('mx-address-bogus', { host })] };
  const [first] = found;
  // Without an address there is no delivery; if the lookup failed, senders try again before they look for TLSA records.
  if (first === undefined)
    return addresses.some(({ status }) => status === 'unavailable')
      ? { status: 'unknown', findings: [] }
      : none;
  const isSecure = !statuses.includes('insecure');
  const isDeprecated = statuses.includes('deprecated');
  const ofHost = () => readTlsa(host, host, own, authenticate, isDeprecated);
  if (first.aliases.length === 0) return isSecure ? ofHost() : withoutSecureAddress(host, own);
  if (isSecure) {
    const target = first.name;
    const expanded = await lookupTlsa(target, dns);
    const tlsa = await readTlsa(host, target, expanded, authenticate, isDeprecated);
    return expanded.status === 'absent' && tlsa.findings.length === 0 ? ofHost() : tlsa;
  }
  const alias = await dns.lookup(host, 'CNAME', { dnssec: true, checkingDisabled: true });
  const isSigned = alias.status === 'found' && isValidated({ status: await authenticate(alias) });
  return isSigned ? ofHost() : withoutSecureAddress(host, own);
}

/** Senders do not even look up TLSA records if the addresses are not signed (RFC 7672 section 2.2.2). */
function withoutSecureAddress(host: string, tlsa: Answer<TlsaRecord>): HostTlsa {
  return tlsa.status === 'found'
    ? { status: 'none', findings: [raise('mx-tlsa-not-signed', { host })] }
    : none;
}

/** Evaluates the TLSA answer for `_25._tcp.<base>`. */
async function readTlsa(
  host: string,
  base: string,
  answer: Answer<TlsaRecord>,
  authenticate: Authenticate,
  isDeprecated: boolean,
): Promise<HostTlsa> {
  if (answer.status === 'unavailable') {
    const reason = whyFailed(answer);
    return { status: 'unknown', findings: [raise('mx-tlsa-unavailable', { host, reason })] };
  }
  const authentication = await authenticate(answer);
  if (answer.status === 'absent') {
    // With another status than bogus, senders find no records either.
    const isBogus = authentication === 'bogus';
    return isBogus ? { status: 'none', findings: [raise('mx-tlsa-denial-bogus', { host })] } : none;
  }
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
  const records = usableTlsa(answer.records);
  if (records.length === 0) return { status: 'unusable', findings: [raise('mx-tlsa-unusable', { host })] };
  return isDeprecated || authentication === 'deprecated'
    ? { status: 'deprecated', base, records, findings: [raise('mx-tlsa-sha1', { host })] }
    : { status: 'usable', base, records, findings: [] };
}
