/** The rules of the CAA check (RFC 8659). */
import { type Rules, rule } from './finding.ts';

/** Whoever publishes a record restricts all certificates of the domain, not only those for mail. */
const LIST_ALL =
  'Name each CA that issues certificates for the domain or a subdomain, web sites included: any other CA can no longer issue or renew one.';

const RETRY =
  "Try again. If it keeps failing, check the domain's authoritative name servers: CAs also look these records up, and may not issue a certificate while they cannot.";

interface Forbidden {
  readonly host: string;
  readonly issuer: string;
  /** Where the records are. */
  readonly name: string;
}

const forbids = ({ host, issuer, name }: Forbidden): string =>
  `The CAA records at ${name} do not permit ${issuer}, which issued the certificate of ${host}. This certificate stays valid, but ${issuer} cannot renew it.`;

export const caaRules = {
  'caa-missing': rule<{ domain: string }>({
    severity: 'notice',
    state: 'absent',
    says: ({ domain }) => `There are no CAA records for ${domain}, so any CA may issue certificates for it.`,
    cites: 'RFC 8659 section 3',
    fix: ({ domain }) =>
      `Publish a CAA record at ${domain} for each of your CAs, such as 0 issue "letsencrypt.org". ${LIST_ALL}`,
  }),
  'caa-nothing-restricted': rule<{ name: string }>({
    severity: 'notice',
    says: ({ name }) =>
      `None of the CAA records at ${name} has the property issue, so any CA may issue certificates for the domain.`,
    cites: 'RFC 8659 section 4.2',
    fix: ({ name }) => `Add a CAA record such as 0 issue "letsencrypt.org" at ${name}. ${LIST_ALL}`,
  }),
  'caa-issuer-malformed': rule<{ name: string; record: string }>({
    severity: 'warning',
    subject: 'record',
    says: ({ name, record }) =>
      `The value of the CAA record ${record} at ${name} is malformed, so it permits no CA.`,
    cites: 'RFC 8659 section 4.2',
    fix: 'Write the domain name of the CA, such as letsencrypt.org, followed by parameters if you need any, each as ; name=value.',
  }),
  'caa-property-critical': rule<{ name: string; tag: string }>({
    severity: 'warning',
    subject: 'tag',
    says: ({ name, tag }) =>
      `The CAA property ${tag} at ${name} is marked as critical, so CAs that do not know it refuse to issue certificates.`,
    cites: 'RFC 8659 section 4.1',
    fix: ({ tag }) => `Correct the tag if it is misspelled. Otherwise, publish ${tag} with the flags 0.`,
  }),
  'caa-issuer-forbidden': rule<Forbidden & { ca: string; property: string }>({
    severity: 'warning',
    subject: 'host',
    says: forbids,
    cites: 'RFC 8659 section 3',
    fix: ({ host, ca, name, property }) =>
      `Before the certificate of ${host} is due for renewal, add the CAA record 0 ${property} "${ca}" at ${name}, or get the next certificate from a CA that is permitted.`,
  }),
  'caa-issuer-forbidden-elsewhere': rule<Forbidden>({
    severity: 'warning',
    subject: 'host',
    says: forbids,
    cites: 'RFC 8659 section 3',
    fix: ({ host, issuer, name }) =>
      `Ask the operator of ${host} to permit ${issuer} in the CAA records at ${name} before the certificate is due for renewal.`,
  }),
  'caa-record-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ name, reason }) => `The DNS lookup for the CAA records of ${name} failed (${reason}).`,
    cites: 'RFC 8659 section 3',
    fix: RETRY,
  }),
  'caa-host-unavailable': rule<{ host: string; name: string; reason: string }>({
    severity: 'notice',
    failedLookup: 'part',
    subject: 'host',
    says: ({ host, name, reason }) =>
      `The certificate of ${host} could not be compared with its CAA records, because the DNS lookup for those of ${name} failed (${reason}).`,
    cites: 'RFC 8659 section 3',
    fix: ({ name }) => `Try again. If it keeps failing, check the authoritative name servers of ${name}.`,
  }),
} satisfies Rules;
