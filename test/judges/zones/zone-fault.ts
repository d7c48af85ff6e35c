/** A zone with one fault by construction: what makes it differ from a zone that is in order. */
import type { X509Certificate } from 'node:crypto';
import type { TlsaRecord } from '../../../shared/protocol/dns.ts';
import type { ValidityOptions } from '../../kit/certificates.ts';
import type { Page } from '../../kit/https-host.ts';
import type { SmtpHostOptions } from '../../kit/smtp-host.ts';
import type { ZoneLiteral } from '../../kit/zone.ts';

/** `none` is for zones in order: a complaint about one is wrong. */
export const faultClasses = ['SPF', 'DMARC', 'TLS-RPT', 'MTA-STS', 'MX', 'DNSSEC', 'DANE'] as const;
export type FaultClass = (typeof faultClasses)[number];

/** How a zone is signed; by default with one P-256 key, NSEC, and a DS record. */
export interface Signing {
  /** Arguments of dnssec-keygen, a key each; no keys leave the zone unsigned. */
  readonly keys?: readonly (readonly string[])[];
  /** Arguments of dnssec-signzone. */
  readonly args?: readonly string[];
  /** Lines that are added before the zone is signed; `$` is the domain. */
  readonly extra?: readonly string[];
  /** The DS records as they are in the parent zone: `keytag algorithm digest-type digest`. */
  readonly ds?: (made: readonly string[]) => readonly string[];
  /** The lines of the signed zone as both servers serve them. */
  readonly served?: (lines: readonly string[]) => readonly string[];
  /** As `served`, of NSD alone. */
  readonly servedByNsd?: (lines: readonly string[]) => readonly string[];
}

/** The host of a zone whose mail server is its own. */
export interface MailHost {
  /** Records of `_25._tcp` of the host, from the certificate of the host and that of its authority. */
  readonly tlsa: (leaf: X509Certificate, authority: X509Certificate) => readonly TlsaRecord[];
  readonly names?: readonly string[];
  readonly validity?: ValidityOptions;
  /** Whether the certificate is signed by itself, and not by the trusted authority. */
  readonly selfSigned?: true;
  /** Whether only the certificate of the host is sent. */
  readonly leafAlone?: true;
  /** Null for a host that offers no TLS. */
  readonly certificate?: null;
  readonly smtp?: SmtpHostOptions;
}

/** The web host of a zone whose MTA-STS policy is its own. */
export interface PolicyHost {
  /** The policy, or the page in its place. `$` is the domain. Null for a host that does not listen. */
  readonly page: string | Page | null;
  readonly certificate?: 'expired' | 'self-signed' | 'another name';
}

export interface ZoneFault {
  readonly fault: string;
  readonly class: FaultClass;
  readonly records: (domain: string) => ZoneLiteral;
  readonly signing?: Signing;
  readonly mailHost?: MailHost;
  readonly policyHost?: PolicyHost;
}

export const inOrder = 'none';

/** The zones below the root. danetool's resolver has its own answer for all names in `test` (RFC 6761 section 6.2). */
export const tops = ['test', 'example'] as const;

/** The domain of a zone, made from its class and fault. */
export function domainOf({ class: of, fault }: Pick<ZoneFault, 'class' | 'fault'>): string {
  const label = `${of} ${fault}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${label.slice(0, 60).replace(/-$/, '')}.${of === 'DANE' ? 'example' : 'test'}`;
}
