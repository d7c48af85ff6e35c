/** The rules of the MX check about records and mail hosts. The rules about TLS and DANE are in `mx-tls.ts`. */
import { type Rules, retryLookup, rule } from './finding.ts';

const LOCATING = 'RFC 5321 section 5.1';
const NULL_MX = 'RFC 7505 section 3';
/** Receivers can reject mail from a domain with a null MX (RFC 7505 section 4.2). */
const PUBLISH_MX =
  'Publish MX records. If the domain neither receives nor sends mail, publish a null MX ("MX 0 .").';
const TARGET = 'RFC 2181 section 10.3';
const checkHost = ({ host }: { readonly host: string }): string =>
  `Make sure ${host} runs a mail server that accepts connections from the internet on port 25.`;

interface HostArguments {
  readonly host: string;
}

interface AddressArguments {
  readonly host: string;
  readonly ip: string;
}

export const mxRules = {
  'mx-record-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ reason }) => `The MX lookup failed (${reason}). Senders whose lookups fail too defer the mail.`,
    cites: LOCATING,
    fix: retryLookup,
  }),
  'mx-no-such-domain': rule<{ domain: string }>({
    severity: 'error',
    says: ({ domain }) => `The domain ${domain} does not exist in DNS (NXDOMAIN), so it cannot receive mail.`,
    cites: LOCATING,
    fix: 'Check the spelling of the domain. If it is correct, register the domain or renew its registration.',
  }),
  'mx-missing': rule({
    severity: 'notice',
    state: 'absent',
    says: () => 'There is no MX record and no address record, so the domain cannot receive mail.',
    cites: LOCATING,
    fix: PUBLISH_MX,
  }),
  'mx-implicit': rule({
    severity: 'notice',
    state: 'absent',
    says: () =>
      'There is no MX record, so senders try to deliver to the address of the domain itself (implicit MX).',
    cites: LOCATING,
    fix: PUBLISH_MX,
  }),
  'mx-fallback-unavailable': rule<{ domain: string; reason: string }>({
    severity: 'notice',
    state: 'absent',
    failedLookup: 'part',
    says: ({ domain, reason }) =>
      `There is no MX record, and the lookup of the addresses of ${domain}, which senders would use instead, failed (${reason}).`,
    cites: LOCATING,
    fix: retryLookup,
  }),
  'mx-null-mixed': rule({
    severity: 'error',
    says: () => 'The domain has a null MX and other MX records, which contradict each other.',
    cites: NULL_MX,
    fix: 'Remove the null MX ("MX 0 .") if the domain accepts mail, or the other MX records if it does not.',
  }),
  'mx-null-preference': rule<{ preference: number }>({
    severity: 'warning',
    says: ({ preference }) => `The null MX has preference ${preference} instead of 0.`,
    cites: NULL_MX,
    fix: 'Publish the null MX as "MX 0 .".',
  }),
  'mx-null-beside-senders': rule({
    severity: 'warning',
    says: () =>
      'The null MX says that the domain accepts no mail, but the SPF record lists senders: receivers can reject mail of a domain that accepts no replies or bounces.',
    cites: 'RFC 7505 section 4.2',
    fix: 'If the domain sends mail, publish MX records for hosts that accept replies and bounces in place of the null MX. If it sends none, publish "v=spf1 -all" as its SPF record.',
  }),
  'mx-address-literal': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX record contains the IP address ${host} instead of a host name.`,
    cites: 'RFC 1035 section 3.3.9',
    fix: 'Give the mail server a host name with an A or AAAA record, and use that name in the MX record.',
    subject: 'host',
  }),
  'mx-invalid-name': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX record contains "${host}", which is not a valid host name.`,
    cites: 'RFC 5321 section 2.3.5',
    fix: 'Use a host name made of letters, digits and hyphens in the MX record.',
    subject: 'host',
  }),
  'mx-alias': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX host ${host} is an alias (CNAME); some senders do not deliver to aliases.`,
    cites: TARGET,
    fix: ({ host }) =>
      `Use the name that ${host} points to in the MX record, or give ${host} address records of its own.`,
    subject: 'host',
  }),
  'mx-no-address': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX host ${host} has no A or AAAA record, so senders cannot deliver to it.`,
    cites: LOCATING,
    fix: ({ host }) => `Publish an A or AAAA record for ${host}, or remove its MX record.`,
    subject: 'host',
  }),
  'mx-ipv6-only': rule({
    severity: 'warning',
    says: () => 'No MX host has an IPv4 address, so senders without IPv6 cannot deliver mail to the domain.',
    cites: 'RFC 5321 section 5.2',
    fix: 'Publish an A record for at least one MX host that accepts mail over IPv4.',
  }),
  'mx-dangling': rule<HostArguments & { owner: string }>({
    severity: 'error',
    takeover: true,
    says: ({ host, owner }) =>
      `The MX host ${host} is in the unregistered domain ${owner}; anyone who registers ${owner} can receive your mail.`,
    cites: 'RFC 5321 section 5.1',
    fix: ({ host, owner }) =>
      `Remove the MX record for ${host} now. If you lost ${owner} by mistake, register it again.`,
    subject: 'host',
  }),
  'mx-address-unavailable': rule<HostArguments & { reason: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ host, reason }) =>
      `The address lookup for the MX host ${host} failed (${reason}). Senders whose lookups fail too defer the mail.`,
    cites: LOCATING,
    fix: ({ host }) => `Try again. If it keeps failing, check the authoritative name servers for ${host}.`,
    subject: 'host',
  }),
  'mx-address-not-public': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) =>
      `The MX host ${host} has the address ${ip}, which is not reachable from the internet.`,
    cites: 'RFC 1918 section 3',
    fix: ({ host, ip }) => `Remove the address ${ip} from ${host}, and publish only public addresses.`,
    subject: 'ip',
  }),
  'mx-many-hosts': rule<{ hosts: number; asked: number }>({
    severity: 'notice',
    says: ({ hosts, asked }) => `The domain has ${hosts} MX hosts; only the first ${asked} were checked.`,
    cites: LOCATING,
    fix: 'Consider whether you need so many MX hosts.',
  }),
  'mx-none-accepts': rule<{ domain: string }>({
    severity: 'warning',
    state: 'fail',
    says: ({ domain }) => `No MX host accepts mail for ${domain}.`,
    cites: LOCATING,
    fix: ({ domain }) =>
      `Make sure that at least one MX host accepts connections from the internet on port 25, and accepts mail for ${domain}.`,
  }),
  'mx-refused': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) => `The MX host ${host} (${ip}) refuses connections on port 25.`,
    cites: LOCATING,
    fix: checkHost,
    subject: 'ip',
  }),
  'mx-denied': rule<AddressArguments & { reply: string }>({
    severity: 'warning',
    says: ({ host, ip, reply }) => `The MX host ${host} (${ip}) does not accept mail: "${reply}".`,
    cites: 'RFC 5321 section 3.1',
    fix: checkHost,
    subject: 'ip',
  }),
  'mx-recipient-rejected': rule<AddressArguments & { recipient: string; reply: string }>({
    severity: 'warning',
    says: ({ host, ip, recipient, reply }) =>
      `The MX host ${host} (${ip}) rejects mail for ${recipient}: "${reply}".`,
    cites: 'RFC 5321 section 3.3',
    fix: ({ recipient }) => `Create the mailbox ${recipient}, or correct the local part of the test mailbox.`,
    subject: 'ip',
  }),
  'mx-acceptance-unknown': rule<AddressArguments & { reply: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ host, ip, reply }) =>
      `The MX host ${host} (${ip}) rejects the IP address that this check runs from, which says nothing about the domain: "${reply}".`,
    cites: 'RFC 3463 section 3.8',
    fix: 'No action needed for the domain. Run the check from an IP address that mail servers trust.',
    subject: 'ip',
  }),
  'mx-deferred': rule<AddressArguments & { reply: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ host, ip, reply }) =>
      `The MX host ${host} (${ip}) temporarily deferred our request: "${reply}".`,
    cites: 'RFC 5321 section 4.2.1',
    fix: 'No action needed unless it keeps happening. In that case, check the mail server.',
    subject: 'ip',
  }),
  'mx-not-asked': rule<AddressArguments & { reason: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ host, ip, reason }) => `The SMTP connection to the MX host ${host} (${ip}) failed (${reason}).`,
    cites: LOCATING,
    fix: checkHost,
    subject: 'ip',
  }),
  'mx-none-asked': rule({
    severity: 'notice',
    failedLookup: 'check',
    says: () => 'No MX host answered before the timeout. Outbound port 25 may be blocked on this network.',
    cites: LOCATING,
    fix: 'Run the check from a network that allows outbound connections to port 25. If it fails there too, check the mail servers.',
  }),
  'mx-none-checked': rule<{ domain: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ domain }) =>
      `No MX host of ${domain} could be checked, so it is unknown whether the domain accepts mail and supports TLS.`,
    cites: LOCATING,
    fix: 'Try again later. The other findings say why each host could not be checked.',
  }),
  'mx-port-25-not-asked': rule({
    severity: 'notice',
    failedLookup: 'check',
    says: () =>
      'The MX hosts were not checked: the network of this service does not allow outbound connections to port 25.',
    cites: LOCATING,
    fix: 'No action needed for the domain. The operator of this service can allow outbound port 25.',
  }),
} satisfies Rules;
