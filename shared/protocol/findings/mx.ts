/** The rules of the MX check on records and on hosts that take mail; TLS and DANE are in `mx-tls.ts`. */
import { type Rules, rule } from './finding.ts';

const LOCATING = 'RFC 5321 section 5.1';
const NULL_MX = 'RFC 7505 section 3';
const TARGET = 'RFC 2181 section 10.3';
const checkHost = 'Check that the host runs a mail server that the whole internet may reach on port 25.';

interface HostArguments {
  readonly [name: string]: string;
  readonly host: string;
}

interface AddressArguments {
  readonly [name: string]: string;
  readonly host: string;
  readonly ip: string;
}

export const mxRules = {
  'mx-record-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    says: ({ reason }) => `The MX records could not be looked up (${reason}).`,
    cites: LOCATING,
    fix: 'Check the name servers of the domain if this persists.',
  }),
  'mx-no-such-domain': rule<{ domain: string }>({
    severity: 'error',
    says: ({ domain }) => `The domain ${domain} does not exist in the DNS, so it can have no mail.`,
    cites: LOCATING,
    fix: 'Check the spelling of the domain; if it is right, register it, or renew its registration.',
  }),
  'mx-missing': rule({
    severity: 'notice',
    says: () => 'There is no MX record, and no address either: the domain takes no mail.',
    cites: LOCATING,
    fix: 'Publish MX records, or a null MX ("MX 0 .") to say that the domain takes no mail.',
  }),
  'mx-implicit': rule({
    severity: 'notice',
    says: () => 'There is no MX record, so senders try to deliver to the address of the domain itself.',
    cites: LOCATING,
    fix: 'Publish MX records, or a null MX ("MX 0 .") to say that the domain takes no mail.',
  }),
  'mx-null-mixed': rule({
    severity: 'error',
    says: () => 'A null MX stands beside other MX records, which say the opposite.',
    cites: NULL_MX,
    fix: 'Remove the record "MX 0 ." if the domain takes mail, and the others if it does not.',
  }),
  'mx-null-preference': rule<{ preference: number }>({
    severity: 'warning',
    says: ({ preference }) => `The null MX has the preference ${preference} in place of 0.`,
    cites: NULL_MX,
    fix: 'Publish the null MX as "MX 0 .".',
  }),
  'mx-address-literal': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX record names the address ${host}; it has to name a host.`,
    cites: 'RFC 1035 section 3.3.9',
    fix: 'Give the mail server a host name with an A or AAAA record and name that in the MX record.',
    subject: 'host',
  }),
  'mx-invalid-name': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX record names "${host}", which is not a host name.`,
    cites: 'RFC 5321 section 2.3.5',
    fix: 'Name a host made of letters, digits and hyphens in the MX record.',
    subject: 'host',
  }),
  'mx-alias': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX host ${host} is an alias (CNAME); some senders do not deliver to aliases.`,
    cites: TARGET,
    fix: 'Name the host that the alias leads to in the MX record, or give the host address records of its own.',
    subject: 'host',
  }),
  'mx-no-address': rule<HostArguments>({
    severity: 'error',
    says: ({ host }) => `The MX host ${host} has no address.`,
    cites: LOCATING,
    fix: 'Publish an A or AAAA record for the host, or remove its MX record.',
    subject: 'host',
  }),
  'mx-dangling': rule<HostArguments>({
    severity: 'error',
    says: ({ host, owner }) =>
      `The MX host ${host} lies below ${owner}, which does not exist: whoever registers it receives the mail.`,
    cites: 'RFC 5321 section 5.1',
    fix: 'Remove the MX record now, and register the domain of the host if it was lost by mistake.',
    subject: 'host',
  }),
  'mx-address-unavailable': rule<HostArguments>({
    severity: 'notice',
    says: ({ host, reason }) => `The addresses of the MX host ${host} could not be looked up (${reason}).`,
    cites: LOCATING,
    fix: 'Check the name servers of the host if this persists.',
    subject: 'host',
  }),
  'mx-address-not-public': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) =>
      `The MX host ${host} has the address ${ip}, which nobody on the internet can reach.`,
    cites: 'RFC 1918 section 3',
    fix: 'Publish only public addresses for the host.',
    subject: 'ip',
  }),
  'mx-many-hosts': rule<{ hosts: number; asked: number }>({
    severity: 'notice',
    says: ({ hosts, asked }) => `Of ${hosts} MX hosts only the first ${asked} were visited.`,
    cites: LOCATING,
    fix: 'Consider whether so many MX hosts are needed.',
  }),
  'mx-refused': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip }) => `The MX host ${host} (${ip}) refuses connections on port 25.`,
    cites: LOCATING,
    fix: checkHost,
    subject: 'ip',
  }),
  'mx-denied': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, reply }) => `The MX host ${host} (${ip}) takes no mail: "${reply}".`,
    cites: 'RFC 5321 section 3.1',
    fix: checkHost,
    subject: 'ip',
  }),
  'mx-recipient-rejected': rule<AddressArguments>({
    severity: 'warning',
    says: ({ host, ip, recipient, reply }) =>
      `The MX host ${host} (${ip}) refuses mail for ${recipient}: "${reply}".`,
    cites: 'RFC 5321 section 3.3',
    fix: 'Create the mailbox, or correct the local part of the test mailbox.',
    subject: 'ip',
  }),
  'mx-acceptance-unknown': rule<AddressArguments>({
    severity: 'notice',
    says: ({ host, ip, reply }) =>
      `The MX host ${host} (${ip}) refuses the address from which this check was made, which says nothing about the domain: "${reply}".`,
    cites: 'RFC 3463 section 3.8',
    fix: 'Nothing needs doing for the domain; run the check from an address that mail servers trust.',
    subject: 'ip',
  }),
  'mx-deferred': rule<AddressArguments>({
    severity: 'notice',
    says: ({ host, ip, reply }) => `The MX host ${host} (${ip}) put us off: "${reply}".`,
    cites: 'RFC 5321 section 4.2.1',
    fix: 'Nothing needs doing unless it lasts; then look at the mail server.',
    subject: 'ip',
  }),
  'mx-not-asked': rule<AddressArguments>({
    severity: 'notice',
    says: ({ host, ip, reason }) => `The MX host ${host} (${ip}) could not be asked (${reason}).`,
    cites: LOCATING,
    fix: checkHost,
    subject: 'ip',
  }),
  'mx-none-asked': rule({
    severity: 'notice',
    says: () => 'No MX host answered in time, as when port 25 is blocked where this check runs.',
    cites: LOCATING,
    fix: 'Run the check from a network that may connect to port 25; if it does there, look at the mail servers.',
  }),
  'mx-port-25-not-asked': rule({
    severity: 'notice',
    says: () =>
      'The MX hosts were not asked: the network of this service does not let it connect to port 25.',
    cites: LOCATING,
    fix: 'Nothing needs doing for the domain; who runs the service can give it a network that lets it.',
  }),
} satisfies Rules;
