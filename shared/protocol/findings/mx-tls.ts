/** The rules of the MX check on STARTTLS, certificates and DANE. */
import { type Rules, rule } from './finding.ts';

const STARTTLS = 'RFC 3207 section 4';
const renew = 'Renew the certificate, and automate its renewal.';

interface AddressArguments {
  readonly [name: string]: string;
  readonly host: string;
  readonly ip: string;
}

interface HostArguments {
  readonly [name: string]: string;
  readonly host: string;
}

export const mxTlsRules = {
  'mx-no-starttls': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) =>
      `The MX host ${host} (${ip}) does not offer STARTTLS, so mail to it travels in the clear.`,
    cites: STARTTLS,
    fix: 'Switch STARTTLS on at the mail server.',
    subject: 'ip',
  }),
  'mx-starttls-failed': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, detail }) => `The MX host ${host} (${ip}) offers STARTTLS, but it fails: ${detail}.`,
    cites: 'RFC 3207 section 4.1',
    fix: 'Check the certificate, the key and the versions of TLS in the settings of the mail server.',
    subject: 'ip',
  }),
  'mx-tls-old': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, protocol }) =>
      `The MX host ${host} (${ip}) speaks no version of TLS above ${protocol}.`,
    cites: 'RFC 8996 sections 4 and 5',
    fix: 'Switch TLS 1.2 and 1.3 on at the mail server, and the older versions off.',
    subject: 'ip',
  }),
  'mx-tls-weak': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, cipher }) =>
      `The MX host ${host} (${ip}) sets up TLS only with weak parameters (${cipher}).`,
    cites: 'RFC 9325 section 4',
    fix: 'Use current cipher suites, and a key of at least 2048 bits (RSA) or 256 bits (ECDSA).',
    subject: 'ip',
  }),
  'mx-certificate-expired': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, date }) => `The certificate of the MX host ${host} (${ip}) ran out on ${date}.`,
    cites: 'RFC 5280 section 6.1.3',
    fix: renew,
    subject: 'ip',
  }),
  'mx-certificate-not-yet-valid': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, date }) =>
      `The certificate of the MX host ${host} (${ip}) is not valid before ${date}.`,
    cites: 'RFC 5280 section 6.1.3',
    fix: 'Use the former certificate until then, and check the clock of the machine that made the new one.',
    subject: 'ip',
  }),
  'mx-certificate-expiring': rule<AddressArguments>({
    severity: 'notice',
    says: ({ host, ip, date }) => `The certificate of the MX host ${host} (${ip}) runs out on ${date}.`,
    cites: 'RFC 5280 section 4.1.2.5',
    fix: renew,
    subject: 'ip',
  }),
  'mx-certificate-name': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) => `The certificate of the MX host ${host} (${ip}) is not made out to that name.`,
    cites: 'RFC 9525 section 6',
    fix: 'Use a certificate whose subject alternative names hold the name of the MX record.',
    subject: 'ip',
  }),
  'mx-certificate-untrusted': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, reason }) =>
      `The certificate of the MX host ${host} (${ip}) does not lead to a trusted authority (${reason}).`,
    cites: 'RFC 5280 section 6.1',
    fix: 'Use a certificate of a public authority, and have the server send the certificates in between as well.',
    subject: 'ip',
  }),
  'mx-backup-weaker': rule<HostArguments>({
    severity: 'warning',
    says: ({ host, has }) =>
      `The backup MX host ${host} has ${has} and so protects mail less than the preferred one: an attacker who keeps senders from that one leads them here.`,
    cites: 'RFC 7672 section 1.3.1',
    fix: 'Protect the backup host as well as the preferred one, or remove it.',
    subject: 'host',
  }),
  'mx-tlsa-unusable': rule<HostArguments>({
    severity: 'warning',
    says: ({ host }) => `No TLSA record of the MX host ${host} can be used for SMTP.`,
    cites: 'RFC 7672 section 3.1',
    fix: 'Publish a record with usage 3, selector 1 and matching type 1 ("3 1 1").',
    subject: 'host',
  }),
  'mx-tlsa-not-signed': rule<HostArguments>({
    severity: 'warning',
    says: ({ host }) =>
      `The TLSA records of the MX host ${host} stand in a zone without DNSSEC, so senders ignore them.`,
    cites: 'RFC 7672 section 2.2',
    fix: 'Sign the zone of the MX host, or remove the TLSA records.',
    subject: 'host',
  }),
  'mx-tlsa-bogus': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) =>
      `The signatures of the TLSA records of the MX host ${host} are broken: senders that use DANE do not deliver.`,
    cites: 'RFC 7672 section 2.1.2',
    fix: 'Repair DNSSEC in the zone of the MX host.',
    subject: 'host',
  }),
  'mx-tlsa-mismatch': rule<AddressArguments>({
    severity: 'error',
    says: ({ host, ip }) =>
      `No TLSA record matches the certificate of the MX host ${host} (${ip}): senders that use DANE do not deliver.`,
    cites: 'RFC 7671 section 8',
    fix: 'Publish the TLSA record of the certificate in use, and from now on before the certificate is changed.',
    subject: 'ip',
  }),
  'mx-tlsa-without-tls': rule<AddressArguments>({
    severity: 'error',
    says: ({ host, ip }) =>
      `The MX host ${host} (${ip}) has TLSA records, but sets up no TLS: senders that use DANE do not deliver.`,
    cites: 'RFC 7672 section 2.2',
    fix: 'Switch STARTTLS on at the mail server, or remove the TLSA records.',
    subject: 'ip',
  }),
  'mx-tlsa-unavailable': rule<HostArguments>({
    severity: 'notice',
    says: ({ host, reason }) => `Whether the MX host ${host} uses DANE could not be told (${reason}).`,
    cites: 'RFC 7672 section 2.1.2',
    fix: 'Check the name servers of the host if this persists: senders that use DANE wait until they answer.',
    subject: 'host',
  }),
  'mx-dane-partial': rule<{ hosts: readonly string[] }>({
    severity: 'notice',
    says: ({ hosts }) => `Not every MX host can be reached under DANE; without it are ${hosts.join(', ')}.`,
    cites: 'RFC 7672 section 2.2',
    fix: 'Publish TLSA records for all MX hosts, so that nobody is led to one that has none.',
  }),
  'mx-dane-records-not-signed': rule({
    severity: 'notice',
    says: () =>
      'The MX hosts use DANE, but the MX records are not signed with DNSSEC, so senders may not rely on it.',
    cites: 'RFC 7672 section 2.2.1',
    fix: 'Turn DNSSEC on for the domain.',
  }),
} satisfies Rules;
