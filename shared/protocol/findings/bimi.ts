/** The rules of the BIMI check about the record, about DMARC, and about fetching the files that the record names. */
import { READ_REPORTS } from './dmarc.ts';
import {
  type ExpiryArguments,
  expires,
  type FindingAudience,
  type Rules,
  retryLookup,
  rule,
} from './finding.ts';

const BIMI = 'draft-brand-indicators-for-message-identification-10';
const RECORD = `${BIMI} section 4.3`;
const AUTHENTICATION = `${BIMI} section 7.1`;
const DISCOVERY = `${BIMI} section 7.2`;
const RETRIEVAL = `${BIMI} section 7.5`;

const recordFix = (_: unknown, { domain }: FindingAudience): string =>
  `Publish one TXT record at default._bimi.${domain} such as "v=BIMI1; l=https://${domain}/logo.svg; a=https://${domain}/mark.pem", with the URLs of your logo and mark certificate. Receivers show the logo only if the DMARC policy is quarantine or reject, for all mail.`;

export const bimiRules = {
  'bimi-missing': rule({
    severity: 'notice',
    state: 'absent',
    says: () => 'There is no BIMI record, so receivers show no logo for the domain.',
    cites: RECORD,
    fix: recordFix,
  }),
  'bimi-record-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ name, reason }) => `The DNS lookup for the BIMI record at ${name} failed (${reason}).`,
    cites: DISCOVERY,
    fix: retryLookup,
  }),
  'bimi-inherited': rule<{ organizationalDomain: string }>({
    severity: 'notice',
    says: ({ organizationalDomain }) =>
      `The domain has no BIMI record of its own; the record of ${organizationalDomain} applies.`,
    cites: DISCOVERY,
    fix: 'To show a different logo or none, publish a BIMI record for this domain.',
  }),
  'bimi-multiple-records': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `There are ${count} BIMI records, so receivers act as if there were none.`,
    cites: DISCOVERY,
    fix: 'Keep exactly one TXT record that starts with "v=BIMI1".',
  }),
  'bimi-record-ignored': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) =>
      `The BIMI record does not start with exactly "v=BIMI1;", so receivers ignore it: "${text}".`,
    cites: RECORD,
    fix: 'Start the record with exactly "v=BIMI1;".',
  }),
  'bimi-record-malformed': rule<{ tags: readonly string[] }>({
    severity: 'error',
    says: ({ tags }) => `The BIMI record contains invalid tags: ${tags.join(', ')}.`,
    cites: RECORD,
    fix: 'Write each tag as name=value in printable ASCII, and separate tags with semicolons.',
  }),
  'bimi-tags-repeated': rule<{ tags: readonly string[] }>({
    severity: 'error',
    says: ({ tags }) => `Duplicate tags make the BIMI record invalid: ${tags.join(', ')}.`,
    cites: 'RFC 6376 section 3.2',
    fix: 'Keep only one of each tag.',
  }),
  'bimi-tags-unknown': rule<{ tags: readonly string[] }>({
    severity: 'notice',
    says: ({ tags }) => `The BIMI record contains unknown tags, which receivers ignore: ${tags.join(', ')}.`,
    cites: RECORD,
    fix: 'Remove these tags, or correct their names.',
  }),
  'bimi-value-ignored': rule<{ tag: string; value: string }>({
    severity: 'warning',
    says: ({ tag, value }) => `"${value}" is not a valid value for the ${tag} tag, so receivers ignore it.`,
    cites: RECORD,
    fix: 'Set avp to brand or personal and lps to true or false, or remove the tag.',
    subject: 'tag',
  }),
  'bimi-uri-invalid': rule<{ tag: string; uri: string }>({
    severity: 'error',
    says: ({ tag, uri }) =>
      `The ${tag} tag must contain one https URI with a fully qualified domain name, not "${uri}".`,
    cites: RECORD,
    fix: 'Use one https:// URI. Encode commas in it as %2C.',
    subject: 'tag',
  }),
  'bimi-location-missing': rule({
    severity: 'error',
    says: () => 'The BIMI record has no l tag, which is required even if it is empty.',
    cites: RECORD,
    fix: 'Add an l tag with the URL of the logo.',
  }),
  'bimi-location-empty': rule({
    severity: 'error',
    says: () => 'The l tag is empty but the a tag is not, so receivers find no logo.',
    cites: `${BIMI} section 7.3`,
    fix: 'Set the l tag to the URL of the logo. To decline BIMI, leave both the l tag and the a tag empty.',
  }),
  'bimi-location-not-svg': rule<{ uri: string }>({
    severity: 'error',
    says: ({ uri }) => `The l tag points to a file that is not in SVG format: "${uri}".`,
    cites: `${BIMI} section 4.3.2`,
    fix: 'Publish the logo as SVG Tiny PS.',
  }),
  'bimi-declined': rule({
    severity: 'notice',
    state: 'absent',
    says: () => 'The BIMI record declines BIMI (the l and a tags are empty), so receivers show no logo.',
    cites: `${BIMI} section 4.3.1`,
    fix: 'To take part in BIMI, set the l tag to the URL of a logo.',
  }),
  'bimi-dmarc-not-enforced': rule<{ domain: string; found: string }>({
    severity: 'error',
    says: ({ domain, found }) =>
      `Receivers show no logo, because DMARC is not enforced for ${domain}: ${found}.`,
    cites: AUTHENTICATION,
    fix: `${READ_REPORTS} you can raise the DMARC policy of the domain and its subdomains to quarantine, for all mail.`,
  }),
  'bimi-dmarc-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ name, reason }) =>
      `The DNS lookup for ${name} failed (${reason}), so it is unknown whether DMARC is enforced.`,
    cites: AUTHENTICATION,
    fix: retryLookup,
  }),
  'bimi-fetch-unavailable': rule<{ what: string; detail: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ what, detail }) => `The ${what} could not be fetched: ${detail}.`,
    cites: RETRIEVAL,
    fix: 'Try again. If it keeps failing, check the web server.',
    subject: 'what',
  }),
  'bimi-fetch-failed': rule<{ what: string; detail: string }>({
    severity: 'error',
    says: ({ what, detail }) => `The ${what} cannot be fetched: ${detail}.`,
    cites: RETRIEVAL,
    fix: 'Serve the file at its URL with HTTP status 200, over HTTPS and with a valid certificate.',
    subject: 'what',
  }),
  'bimi-host-certificate-expiring': rule<{ host: string } & ExpiryArguments>({
    severity: 'notice',
    raisesAlert: true,
    says: ({ host, ...end }) =>
      `The certificate of the web server ${host}, which has the logo or its mark certificate, ${expires(end)}.`,
    cites: RETRIEVAL,
    fix: 'Renew the certificate before that date, and let the web server load it.',
    subject: 'host',
  }),
  'bimi-no-evidence': rule({
    severity: 'notice',
    says: () => 'There is no mark certificate. Several large receivers show a logo only with one.',
    cites: `${BIMI} section 4.3`,
    fix: 'Obtain a Verified Mark Certificate or a Common Mark Certificate, and publish its URL in the a tag.',
  }),
} satisfies Rules;
