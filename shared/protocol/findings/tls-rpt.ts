/** The rules of the TLS-RPT check (RFC 8460). */
import { type Rules, rule } from './finding.ts';

const RECORD = 'RFC 8460 section 3';

const recordFix = 'Publish one TXT record such as "v=TLSRPTv1; rua=mailto:tls-reports@example.org".';

export const tlsRptRules = {
  'tls-rpt-missing': rule({
    severity: 'notice',
    says: () => 'There is no TLS-RPT record: nobody reports failures to deliver with TLS.',
    cites: RECORD,
    fix: recordFix,
  }),
  'tls-rpt-multiple-records': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `There are ${count} TLS-RPT records; senders act as if there were none.`,
    cites: RECORD,
    fix: 'Keep exactly one TXT record that begins with "v=TLSRPTv1;".',
  }),
  'tls-rpt-record-ignored': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) => `The record does not begin with exactly "v=TLSRPTv1;" and is ignored: "${text}".`,
    cites: RECORD,
    fix: recordFix,
  }),
  'tls-rpt-record-malformed': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) => `The record holds what is not a field, which makes it invalid: "${text}".`,
    cites: RECORD,
    fix: 'Write name=value without spaces in it, and a semicolon between fields.',
  }),
  'tls-rpt-rua-missing': rule({
    severity: 'error',
    says: () => 'The record has no rua field, so there is nowhere to send reports.',
    cites: RECORD,
    fix: recordFix,
  }),
  'tls-rpt-fields-repeated': rule<{ names: readonly string[] }>({
    severity: 'warning',
    says: ({ names }) =>
      `Fields stand more than once, of which senders take one or none: ${names.join(', ')}.`,
    cites: RECORD,
    fix: 'Keep each field once; a rua field may list several addresses between commas.',
  }),
  'tls-rpt-uris-malformed': rule<{ uris: readonly string[] }>({
    severity: 'error',
    says: ({ uris }) => `Reports cannot be sent to what is not a URI: ${uris.join(', ')}.`,
    cites: RECORD,
    fix: 'Write mailto: and a mail address, or an https: address; encode commas, semicolons and "!" in it as %2C, %3B and %21.',
  }),
  'tls-rpt-uris-unsupported': rule<{ uris: readonly string[] }>({
    severity: 'warning',
    says: ({ uris }) => `Reports are sent by mail or HTTPS only, never to ${uris.join(', ')}.`,
    cites: RECORD,
    fix: 'Use a mailto: or https: address.',
  }),
  'tls-rpt-no-usable-uri': rule({
    severity: 'error',
    says: () => 'None of the report addresses is one that senders support.',
    cites: RECORD,
    fix: 'Use a mailto: or https: address.',
  }),
  'tls-rpt-nothing-to-report': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) =>
      `${domain} has neither MTA-STS nor DANE, so reports have no policy to tell about ("no-policy-found").`,
    cites: 'RFC 8460 section 4.4',
    fix: 'Publish an MTA-STS policy in mode testing, or TLSA records for the MX hosts.',
  }),
  'tls-rpt-wrong-mailbox': rule<{ domain: string; uris: readonly string[]; mailbox: string }>({
    severity: 'warning',
    says: ({ domain, uris, mailbox }) =>
      `Reports sent to ${uris.join(', ')} do not count for ${domain}: its own mailbox is ${mailbox}.`,
    cites: RECORD,
    fix: 'Name the mailbox of this domain, exactly as it is.',
  }),
  'tls-rpt-mailbox-not-named': rule<{ mailbox: string }>({
    severity: 'notice',
    says: ({ mailbox }) => `Reports do not come here: the rua field does not name mailto:${mailbox}.`,
    cites: RECORD,
    fix: 'Add this address to the rua field, with a comma before it where there are others.',
  }),
  'tls-rpt-record-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    says: ({ reason }) => `The TLS-RPT record could not be looked up (${reason}).`,
    cites: RECORD,
    fix: 'Check the name servers of the domain if this persists.',
  }),
} satisfies Rules;
