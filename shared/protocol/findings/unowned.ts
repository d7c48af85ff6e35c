/** The rules about names that a domain relies on and that nobody owns. The checks whose records name them raise them. */
import { type Rules, rule } from './finding.ts';

interface Unowned {
  /** The domain that does not exist, and that somebody could register. */
  readonly owner: string;
}

const registerAgain = (owner: string): string => `If you lost ${owner} by mistake, register it again first.`;

export const unownedRules = {
  'unowned-mx-alias': rule<Unowned & { host: string; target: string }>({
    severity: 'error',
    takeover: true,
    says: ({ host, target, owner }) =>
      `The MX host ${host} is an alias (CNAME) of ${target}, and the domain ${owner} is not in DNS: unless somebody holds its registration, anyone who registers it can receive your mail.`,
    cites: 'RFC 5321 section 5.1',
    fix: ({ host, owner }) =>
      `Give ${host} the address of a mail server of yours in place of the CNAME record, or remove the MX record for it if there are others. No mail arrives there today. ${registerAgain(owner)}`,
    subject: 'host',
  }),
  'unowned-spf-target': rule<Unowned & { domain: string; term: string; name: string }>({
    severity: 'warning',
    takeover: true,
    says: ({ domain, term, name, owner }) =>
      `"${term}" in the SPF record of ${domain} refers to ${name}, and the domain ${owner} is not in DNS: unless somebody holds its registration, anyone who registers it can send mail that passes SPF as your domain.`,
    cites: 'RFC 7208 section 5.2',
    fix: ({ domain, term, owner }) =>
      `Remove "${term}" from the SPF record of ${domain}. Nobody sends mail by it today. ${registerAgain(owner)}`,
    subject: 'name',
  }),
  'unowned-dkim-alias': rule<Unowned & { selector: string; target: string }>({
    severity: 'warning',
    takeover: true,
    says: ({ selector, target, owner }) =>
      `Selector ${selector} is an alias (CNAME) of ${target}, and the domain ${owner} is not in DNS: unless somebody holds its registration, anyone who registers it can publish a key there and sign mail as your domain.`,
    cites: 'RFC 6376 section 8.5',
    fix: ({ selector, owner }, { domain }) =>
      `Remove the CNAME record at ${selector}._domainkey.${domain}. It leads to no key, so no signature depends on it. ${registerAgain(owner)}`,
    subject: 'selector',
  }),
  'unowned-alias': rule<Unowned & { name: string; target: string }>({
    severity: 'warning',
    takeover: true,
    says: ({ name, target, owner }) =>
      `${name} is an alias (CNAME) of ${target}, and the domain ${owner} is not in DNS: unless somebody holds its registration, anyone who registers it decides what is published at ${name}, such as a policy.`,
    cites: 'RFC 1034 section 3.6.2',
    fix: ({ name, owner }) =>
      `Remove the CNAME record at ${name}, or publish a record of your own there. It leads to nothing today. ${registerAgain(owner)}`,
    subject: 'name',
  }),
  'unowned-name-server': rule<Unowned & { server: string; zone: string }>({
    severity: 'warning',
    takeover: true,
    says: ({ server, zone, owner }) =>
      `The name server ${server} of ${zone} does not exist, and the domain ${owner} is not in DNS: unless somebody holds its registration, anyone who registers it can answer for ${zone}, and so read and send its mail.`,
    cites: 'RFC 1912 section 2.8',
    fix: ({ server, zone, owner }) =>
      `Remove ${server} from the NS records of ${zone}, and from its delegation at the registrar. ${registerAgain(owner)}`,
    subject: 'server',
  }),
} satisfies Rules;
