/** The rules of the TLS-RPT check (RFC 8460). */
import { type Rules, retryLookup, rule } from './finding.ts';

const RECORD = 'RFC 8460 section 3';

export const tlsRptRules = {
  'tls-rpt-missing': rule({
    severity: 'notice',
    state: 'absent',
    says: () => 'There is no TLS-RPT record, so senders cannot report TLS delivery failures to you.',
    cites: RECORD,
    fix: (_, { domain, mailbox }) =>
      mailbox === undefined
        ? `Publish one TXT record at _smtp._tls.${domain} that consists of "v=TLSRPTv1; rua=mailto:" and the address of a mailbox for reports.`
        : `Publish the TXT record "v=TLSRPTv1; rua=mailto:${mailbox}" at _smtp._tls.${domain}.`,
  }),
  'tls-rpt-not-needed': rule({
    severity: 'notice',
    state: 'absent',
    says: () =>
      'There is no TLS-RPT record. The null MX says that the domain accepts no mail, so it needs none.',
    cites: 'RFC 7505 section 3',
    fix: 'No action needed, unless the domain is to receive mail: then publish MX records first.',
  }),
  'tls-rpt-multiple-records': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `There are ${count} TLS-RPT records, so senders act as if there were none.`,
    cites: RECORD,
    fix: 'Keep exactly one TXT record that starts with "v=TLSRPTv1;".',
  }),
  'tls-rpt-record-ignored': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) =>
      `The TLS-RPT record does not start with exactly "v=TLSRPTv1;", so senders ignore it: "${text}".`,
    cites: RECORD,
    fix: (_, { domain }) => `Start the record at _smtp._tls.${domain} with exactly "v=TLSRPTv1;".`,
  }),
  'tls-rpt-record-malformed': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) =>
      `The TLS-RPT record contains an invalid field, which makes the whole record invalid: "${text}".`,
    cites: RECORD,
    fix: 'Write each field as name=value without spaces, and separate fields with semicolons.',
  }),
  'tls-rpt-rua-missing': rule({
    severity: 'error',
    says: () => 'The TLS-RPT record has no rua field, so senders have nowhere to send reports.',
    cites: RECORD,
    fix: (_, { domain, mailbox }) =>
      mailbox === undefined
        ? `Add a rua field with mailto: and the address of a mailbox for reports to the record at _smtp._tls.${domain}.`
        : `Replace the TXT record at _smtp._tls.${domain} with "v=TLSRPTv1; rua=mailto:${mailbox}".`,
  }),
  'tls-rpt-fields-repeated': rule<{ names: readonly string[] }>({
    severity: 'warning',
    says: ({ names }) =>
      `The TLS-RPT record contains duplicate fields, of which senders use one or none: ${names.join(', ')}.`,
    cites: RECORD,
    fix: 'Keep only one of each field. A rua field can list several URIs, separated by commas.',
  }),
  'tls-rpt-uris-malformed': rule<{ uris: readonly string[] }>({
    severity: 'error',
    says: ({ uris }) =>
      `The rua field contains invalid URIs, which reports cannot be sent to: ${uris.join(', ')}.`,
    cites: RECORD,
    fix: 'Write mailto: and an email address, or an https: URL. Encode commas, semicolons and "!" in it as %2C, %3B and %21.',
  }),
  'tls-rpt-uris-unsupported': rule<{ uris: readonly string[] }>({
    severity: 'warning',
    says: ({ uris }) =>
      `The rua field contains URIs that senders do not support, because reports are sent only by mail or HTTPS: ${uris.join(', ')}.`,
    cites: RECORD,
    fix: 'Use a mailto: or https: URI.',
  }),
  'tls-rpt-no-usable-uri': rule({
    severity: 'error',
    says: () => 'The rua field contains no URI that senders support, so you get no reports.',
    cites: RECORD,
    fix: 'Use a mailto: or https: URI.',
  }),
  'tls-rpt-nothing-to-report': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) =>
      `${domain} has neither MTA-STS nor DANE, so reports have no policy to report on ("no-policy-found").`,
    cites: 'RFC 8460 section 4.4',
    fix: 'Publish an MTA-STS policy in testing mode, or TLSA records for the MX hosts.',
  }),
  'tls-rpt-wrong-mailbox': rule<{ domain: string; uris: readonly string[]; mailbox: string }>({
    severity: 'warning',
    says: ({ domain, uris, mailbox }) =>
      `Reports sent to ${uris.join(', ')} do not count for ${domain}, whose report mailbox is ${mailbox}.`,
    cites: RECORD,
    fix: ({ uris, mailbox }) =>
      `Remove ${uris.join(', ')} from the rua field, and add mailto:${mailbox} unless it is there already.`,
  }),
  'tls-rpt-mailbox-not-named': rule<{ mailbox: string }>({
    severity: 'notice',
    says: ({ mailbox }) =>
      `TLS reports are not sent to this service: the rua field does not include mailto:${mailbox}.`,
    cites: RECORD,
    fix: ({ mailbox }) =>
      `Add mailto:${mailbox} to the rua field, separated from other URIs by a comma. No action needed if the service fetches the reports from a mailbox that the field names.`,
  }),
  'tls-rpt-record-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ reason }) => `The DNS lookup for the TLS-RPT record failed (${reason}).`,
    cites: RECORD,
    fix: retryLookup,
  }),
} satisfies Rules;
