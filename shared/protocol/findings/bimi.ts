/** The rules of the BIMI check on the record, on DMARC and on what it points to. */
import { type Rules, rule } from './finding.ts';

const BIMI = 'draft-brand-indicators-for-message-identification-10';
const RECORD = `${BIMI} section 4.3`;
const AUTHENTICATION = `${BIMI} section 7.1`;
const DISCOVERY = `${BIMI} section 7.2`;
const RETRIEVAL = `${BIMI} section 7.5`;

const recordFix =
  'Publish one TXT record such as "v=BIMI1; l=https://example.org/logo.svg; a=https://example.org/mark.pem".';

export const bimiRules = {
  'bimi-missing': rule({
    severity: 'notice',
    says: () => 'There is no BIMI record, so receivers show no logo of the domain.',
    cites: RECORD,
    fix: recordFix,
  }),
  'bimi-record-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    says: ({ name, reason }) => `${name} could not be looked up (${reason}).`,
    cites: DISCOVERY,
    fix: 'Check the name servers of the domain if this persists.',
  }),
  'bimi-inherited': rule<{ organizationalDomain: string }>({
    severity: 'notice',
    says: ({ organizationalDomain }) => `The record is that of ${organizationalDomain}.`,
    cites: DISCOVERY,
    fix: 'Publish a record of its own where this domain is to show another logo or none.',
  }),
  'bimi-multiple-records': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `There are ${count} BIMI records; receivers act as if there were none.`,
    cites: DISCOVERY,
    fix: 'Keep exactly one TXT record that begins with "v=BIMI1".',
  }),
  'bimi-record-ignored': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) => `The record does not begin with exactly "v=BIMI1;" and is ignored: "${text}".`,
    cites: RECORD,
    fix: recordFix,
  }),
  'bimi-record-malformed': rule<{ tags: readonly string[] }>({
    severity: 'error',
    says: ({ tags }) => `The record holds what is not a tag: ${tags.join(', ')}.`,
    cites: RECORD,
    fix: 'Write each tag as name=value in printable ASCII, with a semicolon between tags.',
  }),
  'bimi-tags-repeated': rule<{ tags: readonly string[] }>({
    severity: 'error',
    says: ({ tags }) => `Tags stand more than once, which voids the record: ${tags.join(', ')}.`,
    cites: 'RFC 6376 section 3.2',
    fix: 'Keep each tag once.',
  }),
  'bimi-tags-unknown': rule<{ tags: readonly string[] }>({
    severity: 'notice',
    says: ({ tags }) => `Receivers ignore tags that BIMI does not have: ${tags.join(', ')}.`,
    cites: RECORD,
    fix: 'Remove these tags, or correct their names.',
  }),
  'bimi-value-ignored': rule<{ tag: string; value: string }>({
    severity: 'warning',
    says: ({ tag, value }) => `"${value}" is not a value of the ${tag} tag.`,
    cites: RECORD,
    fix: 'Set avp to brand or personal, lps to true or false, or remove the tag.',
    subject: 'tag',
  }),
  'bimi-uri-invalid': rule<{ tag: string; uri: string }>({
    severity: 'error',
    says: ({ tag, uri }) => `The ${tag} tag is not one https address with a full domain name: "${uri}".`,
    cites: RECORD,
    fix: 'State one https:// address; encode commas in it as %2C.',
    subject: 'tag',
  }),
  'bimi-location-missing': rule({
    severity: 'error',
    says: () => 'The record has no l tag, which must be there even if it is empty.',
    cites: RECORD,
    fix: 'Add an l tag with the address of the logo.',
  }),
  'bimi-location-empty': rule({
    severity: 'error',
    says: () => 'The l tag is empty though the a tag is not; receivers find no logo.',
    cites: `${BIMI} section 7.3`,
    fix: 'Set the l tag to the address of the logo, or leave both tags empty to decline.',
  }),
  'bimi-location-not-svg': rule<{ uri: string }>({
    severity: 'error',
    says: ({ uri }) => `The l tag names a file of another format than SVG: "${uri}".`,
    cites: `${BIMI} section 4.3.2`,
    fix: 'Publish the logo as SVG Tiny PS.',
  }),
  'bimi-declined': rule({
    severity: 'notice',
    says: () => 'The record declines BIMI: no logo is to be shown.',
    cites: `${BIMI} section 4.3.1`,
    fix: 'Set the l tag to the address of a logo to take part.',
  }),
  'bimi-dmarc-not-enforced': rule<{ domain: string; found: string }>({
    severity: 'error',
    says: ({ domain, found }) =>
      `Receivers show no logo, since DMARC is not enforced for ${domain}: ${found}.`,
    cites: AUTHENTICATION,
    fix: 'Raise the DMARC policy to quarantine (of all mail) or reject, for the domain and its subdomains.',
  }),
  'bimi-dmarc-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    says: ({ name, reason }) =>
      `Whether DMARC is enforced could not be found out: ${name} could not be looked up (${reason}).`,
    cites: AUTHENTICATION,
    fix: 'Check the name servers of the domain if this persists.',
  }),
  'bimi-fetch-unavailable': rule<{ what: string; detail: string }>({
    severity: 'notice',
    says: ({ what, detail }) => `The ${what} could not be fetched: ${detail}.`,
    cites: RETRIEVAL,
    fix: 'Check the web server if this persists.',
    subject: 'what',
  }),
  'bimi-fetch-failed': rule<{ what: string; detail: string }>({
    severity: 'error',
    says: ({ what, detail }) => `The ${what} cannot be fetched: ${detail}.`,
    cites: RETRIEVAL,
    fix: 'Serve the file at its address with status 200 over HTTPS, with a valid certificate.',
    subject: 'what',
  }),
  'bimi-no-evidence': rule({
    severity: 'notice',
    says: () => 'No mark certificate is published; several large receivers show a logo only with one.',
    cites: `${BIMI} section 4.3`,
    fix: 'Obtain a Verified or Common Mark Certificate and publish its address in the a tag.',
  }),
} satisfies Rules;
