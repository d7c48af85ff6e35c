/** The rules of the MX check about STARTTLS, certificates and DANE. */
import { dayInWords } from '../time.ts';
import { type ExpiryArguments, expires, type Rules, rule } from './finding.ts';

const STARTTLS = 'RFC 3207 section 4';
const renew =
  'Renew the certificate, and automate its renewal. If the host has TLSA records, publish that of the next certificate first, or keep the key.';

interface AddressArguments {
  readonly host: string;
  readonly ip: string;
}

interface HostArguments {
  readonly host: string;
}

/** RFC 7672 section 2.1.2: without a trustworthy answer, a sender with DANE tries other hosts, and again later. */
const DEFERS =
  'senders with DANE do not deliver to it: they defer the mail, and bounce it if no other host accepts it';

export const mxTlsRules = {
  'mx-no-starttls': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) =>
      `The MX host ${host} (${ip}) does not offer STARTTLS, so senders deliver to it unencrypted.`,
    cites: STARTTLS,
    fix: ({ host }) => `Enable STARTTLS on ${host}.`,
    subject: 'ip',
  }),
  'mx-starttls-failed': rule<AddressArguments & { detail: string }>({
    severity: 'warning',
    says: ({ host, ip, detail }) => `The MX host ${host} (${ip}) offers STARTTLS, but it fails: ${detail}.`,
    cites: 'RFC 3207 section 4.1',
    fix: 'Check the certificate, the private key and the TLS versions in the mail server configuration.',
    subject: 'ip',
  }),
  'mx-tls-old': rule<AddressArguments & { protocol: string }>({
    severity: 'warning',
    says: ({ host, ip, protocol }) =>
      `The MX host ${host} (${ip}) supports no TLS version newer than ${protocol}.`,
    cites: 'RFC 8996 sections 4 and 5',
    fix: 'Enable TLS 1.2 and 1.3 on the mail server, and disable older versions.',
    subject: 'ip',
  }),
  'mx-tls-weak': rule<AddressArguments & { cipher: string }>({
    severity: 'warning',
    says: ({ host, ip, cipher }) =>
      `The MX host ${host} (${ip}) negotiates only weak TLS parameters (${cipher}).`,
    cites: 'RFC 9325 section 4',
    fix: 'Use current cipher suites, and a key of at least 2048 bits (RSA) or 256 bits (ECDSA).',
    subject: 'ip',
  }),
  'mx-certificate-expired': rule<AddressArguments & { date: string }>({
    severity: 'warning',
    says: ({ host, ip, date }) =>
      `The certificate of the MX host ${host} (${ip}) expired on ${dayInWords(date)}.`,
    cites: 'RFC 5280 section 6.1.3',
    fix: renew,
    subject: 'ip',
  }),
  'mx-certificate-not-yet-valid': rule<AddressArguments & { date: string }>({
    severity: 'warning',
    says: ({ host, ip, date }) =>
      `The certificate of the MX host ${host} (${ip}) is not valid before ${dayInWords(date)}.`,
    cites: 'RFC 5280 section 6.1.3',
    fix: 'Use the previous certificate until then, and check the clock of the machine that issued the new one.',
    subject: 'ip',
  }),
  'mx-certificate-expiring': rule<AddressArguments & ExpiryArguments>({
    severity: 'notice',
    raisesAlert: true,
    says: ({ host, ip, ...end }) => `The certificate of the MX host ${host} (${ip}) ${expires(end)}.`,
    cites: 'RFC 5280 section 4.1.2.5',
    fix: renew,
    subject: 'ip',
  }),
  'mx-certificate-name': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) => `The certificate of the MX host ${host} (${ip}) does not match the host name.`,
    cites: 'RFC 9525 section 6',
    fix: ({ host }) => `Use a certificate whose subject alternative names include ${host}.`,
    subject: 'ip',
  }),
  'mx-certificate-untrusted': rule<AddressArguments & { reason: string }>({
    severity: 'warning',
    says: ({ host, ip, reason }) =>
      `The certificate of the MX host ${host} (${ip}) is not issued by a trusted CA (${reason}).`,
    cites: 'RFC 5280 section 6.1',
    fix: 'Use a certificate from a public CA, and configure the server to send the intermediate certificates.',
    subject: 'ip',
  }),
  'mx-backup-weaker': rule<HostArguments & { has: string }>({
    severity: 'warning',
    says: ({ host, has }) =>
      `The backup MX host ${host} has ${has} and is weaker than the primary; an attacker who blocks the primary can force delivery to it.`,
    cites: 'RFC 7672 section 1.3.1',
    fix: ({ host }) => `Secure ${host} as well as the primary, or remove its MX record.`,
    subject: 'host',
  }),
  'mx-tlsa-unusable': rule<HostArguments>({
    severity: 'warning',
    says: ({ host }) =>
      `None of the TLSA records of the MX host ${host} is usable for SMTP, so senders with DANE deliver to it only over STARTTLS, but without protection from an active attacker, because they accept any certificate.`,
    cites: 'RFC 7672 section 2.2',
    fix: ({ host }) =>
      `Publish a TLSA record at _25._tcp.${host} with usage 3, selector 1 and matching type 1 ("3 1 1").`,
    subject: 'host',
  }),
  'mx-tlsa-not-signed': rule<HostArguments>({
    severity: 'warning',
    says: ({ host }) =>
      `The TLSA records of the MX host ${host} are not protected by DNSSEC, or its addresses are not, so senders with DANE ignore them and deliver without its protection.`,
    cites: 'RFC 7672 section 2.2',
    fix: ({ host }) => `Sign the zone of ${host} with DNSSEC, or remove the TLSA records.`,
    subject: 'host',
  }),
  'mx-tlsa-sha1': rule<HostArguments>({
    severity: 'warning',
    says: ({ host }) =>
      `The TLSA records of the MX host ${host} are protected only by SHA-1 signatures, which resolvers must treat as unsupported. Senders behind such resolvers deliver without the protection of DANE; others still require a matching certificate.`,
    cites: 'RFC 9905 section 2',
    fix: ({ host }) => `Roll the zone of ${host} over to algorithm 13 (ECDSA P-256).`,
    subject: 'host',
  }),
  'mx-tlsa-bogus': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) =>
      `The TLSA records of the MX host ${host} fail DNSSEC validation (bogus), so ${DEFERS}.`,
    cites: 'RFC 7672 section 2.1.2',
    fix: ({ host }) => `Fix DNSSEC in the zone of ${host}.`,
    subject: 'host',
  }),
  'mx-tlsa-denial-bogus': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) =>
      `The proof that the MX host ${host} has no TLSA records fails DNSSEC validation (bogus), so ${DEFERS}.`,
    cites: 'RFC 7672 section 2.1.2',
    fix: ({ host }) => `Fix the denial of existence (NSEC or NSEC3) in the zone of ${host}.`,
    subject: 'host',
  }),
  'mx-address-bogus': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) =>
      `The address records of the MX host ${host} fail DNSSEC validation (bogus), so senders with a validating resolver do not deliver to it, with or without DANE: they defer the mail, and bounce it if no other host accepts it.`,
    cites: 'RFC 7672 section 2.2.2',
    fix: ({ host }) => `Fix DNSSEC in the zone of ${host}.`,
    subject: 'host',
  }),
  'mx-records-bogus': rule({
    severity: 'error',
    says: () =>
      'The MX records fail DNSSEC validation (bogus), so senders with a validating resolver find no MX host: they defer the mail, and bounce it later.',
    cites: 'RFC 7672 section 2.2.1',
    fix: (_, { domain }) => `Fix DNSSEC in the zone of ${domain}. The DNSSEC check says what is wrong.`,
  }),
  'mx-tlsa-mismatch': rule<AddressArguments & { reason?: string }>({
    severity: 'error',
    says: ({ host, ip, reason }) =>
      `No TLSA record matches the certificate chain of the MX host ${host} (${ip}), so ${DEFERS}.${reason === undefined ? '' : ` Reason: ${reason}.`}`,
    cites: 'RFC 7671 section 8',
    fix: 'Publish a TLSA record for the certificate in use. From now on, publish the new TLSA record before you change the certificate.',
    subject: 'ip',
  }),
  'mx-tlsa-without-tls': rule<AddressArguments>({
    severity: 'error',
    says: ({ host, ip }) =>
      `The MX host ${host} (${ip}) has TLSA records but does not establish TLS, so ${DEFERS}.`,
    cites: 'RFC 7672 section 2.2',
    fix: 'Enable STARTTLS on the mail server, or remove the TLSA records.',
    subject: 'ip',
  }),
  'mx-tlsa-unavailable': rule<HostArguments & { reason: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ host, reason }) =>
      `The TLSA lookup for the MX host ${host} failed (${reason}), so it is unknown whether the host supports DANE. Senders with DANE defer mail while the lookup fails.`,
    cites: 'RFC 7672 section 2.1.2',
    fix: 'Try again. If it keeps failing, check the authoritative name servers for the host.',
    subject: 'host',
  }),
  'mx-dane-partial': rule<{ hosts: readonly string[] }>({
    severity: 'notice',
    says: ({ hosts }) =>
      `Not all MX hosts support DANE. Senders with DANE deliver without its protection, if at all, to: ${hosts.join(', ')}.`,
    cites: 'RFC 7672 section 2.2',
    fix: ({ hosts }) =>
      `Publish TLSA records for ${hosts.join(', ')}, so that an attacker cannot divert mail to a host without them.`,
  }),
  'mx-dane-records-not-signed': rule({
    severity: 'notice',
    says: () =>
      'The MX hosts support DANE, but the MX records are not signed with DNSSEC: an attacker can forge them, and some senders with DANE deliver without its protection.',
    cites: 'RFC 7672 section 2.2.1',
    fix: (_, { domain }) => `Enable DNSSEC for ${domain}.`,
  }),
  'mx-dane-records-sha1': rule({
    severity: 'notice',
    says: () =>
      'The MX hosts support DANE, but the MX records are protected only by SHA-1 signatures: an attacker can forge them, and some senders with DANE deliver without its protection.',
    cites: 'RFC 7672 section 2.2.1',
    fix: (_, { domain }) => `Roll the zone of ${domain} over to algorithm 13 (ECDSA P-256).`,
  }),
} satisfies Rules;
