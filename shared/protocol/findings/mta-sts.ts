/** The rules of the MTA-STS check (RFC 8461). */
import { type Rules, rule } from './finding.ts';

const RECORD = 'RFC 8461 section 3.1';
const POLICY = 'RFC 8461 section 3.2';
const FETCHING = 'RFC 8461 section 3.3';

const recordFix =
  'Publish one TXT record such as "v=STSv1; id=20260101000000", the id made of 1 to 32 letters and digits.';

export const mtaStsRules = {
  'mta-sts-missing': rule({
    severity: 'notice',
    says: () => 'There is no MTA-STS record: an attacker on the way can make senders deliver without TLS.',
    cites: RECORD,
    fix: 'Serve a policy in mode testing, publish the record, and enforce once TLS reports show no failures.',
  }),
  'mta-sts-multiple-records': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `There are ${count} MTA-STS records; senders act as if there were none.`,
    cites: RECORD,
    fix: 'Keep exactly one TXT record that begins with "v=STSv1;".',
  }),
  'mta-sts-record-ignored': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) => `The record does not begin with exactly "v=STSv1;" and is ignored: "${text}".`,
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-record-malformed': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) => `The record holds what is not a field, which makes it invalid: "${text}".`,
    cites: RECORD,
    fix: 'Write name=value without spaces in it, and a semicolon between fields.',
  }),
  'mta-sts-id-missing': rule({
    severity: 'error',
    says: () => 'The record has no id, which makes it invalid.',
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-id-invalid': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) => `The id "${text}" is not made of 1 to 32 letters and digits.`,
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-fields-repeated': rule<{ names: readonly string[] }>({
    severity: 'warning',
    says: ({ names }) => `Of fields that stand more than once only the first counts: ${names.join(', ')}.`,
    cites: RECORD,
    fix: 'Keep each field once.',
  }),
  'mta-sts-record-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    says: ({ reason }) => `The MTA-STS record could not be looked up (${reason}).`,
    cites: RECORD,
    fix: 'Check the name servers of the domain if this persists.',
  }),

  'mta-sts-policy-without-record': rule({
    severity: 'notice',
    says: () => 'A policy is served, but without a record at _mta-sts no sender looks for it.',
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-policy-unavailable': rule<{ detail: string }>({
    severity: 'notice',
    says: ({ detail }) => `The policy could not be fetched: ${detail}.`,
    cites: FETCHING,
    fix: 'Check the policy host if this persists.',
  }),
  'mta-sts-policy-host-missing': rule<{ host: string }>({
    severity: 'error',
    says: ({ host }) => `${host} has no address, so there is no policy to fetch.`,
    cites: FETCHING,
    fix: 'Publish an address for the host and serve the policy there.',
  }),
  'mta-sts-policy-certificate': rule<{ host: string; detail: string }>({
    severity: 'error',
    says: ({ host, detail }) => `The certificate of ${host} is not valid for it: ${detail}.`,
    cites: FETCHING,
    fix: 'Install a certificate of a public authority that names this host and has not expired.',
  }),
  'mta-sts-policy-certificate-expiring': rule<{ host: string; date: string }>({
    severity: 'notice',
    says: ({ host, date }) => `The certificate of ${host} expires on ${date}.`,
    cites: FETCHING,
    fix: 'Renew the certificate before that date.',
  }),
  'mta-sts-policy-redirected': rule({
    severity: 'error',
    says: () => 'The policy host answers with a redirect, which senders must not follow.',
    cites: FETCHING,
    fix: 'Serve the policy itself at the well-known address.',
  }),
  'mta-sts-policy-not-served': rule<{ detail: string }>({
    severity: 'error',
    says: ({ detail }) => `The policy host does not hand out the policy: ${detail}.`,
    cites: FETCHING,
    fix: 'Serve the policy at /.well-known/mta-sts.txt with status 200, over HTTPS from a public address.',
  }),
  'mta-sts-policy-media-type': rule<{ mediaType: string }>({
    severity: 'warning',
    says: ({ mediaType }) =>
      `The policy is served as "${mediaType}" instead of text/plain; careful senders refuse it.`,
    cites: POLICY,
    fix: 'Serve the policy with "Content-Type: text/plain".',
  }),

  'mta-sts-policy-too-large': rule<{ limit: number }>({
    severity: 'error',
    says: ({ limit }) => `The policy is larger than ${limit} octets, which senders need not read.`,
    cites: FETCHING,
    fix: 'Shorten the policy; wildcards cover many hosts.',
  }),
  'mta-sts-policy-malformed': rule<{ line: number; text: string; count: number }>({
    severity: 'error',
    says: ({ line, text, count }) =>
      `Line ${line} of the policy is not a field${count > 1 ? `, and ${count - 1} more are not` : ''}: "${text}".`,
    cites: POLICY,
    fix: 'Write each line as "name: value", in UTF-8 without a byte order mark.',
  }),
  'mta-sts-policy-blank-line': rule<{ line: number }>({
    severity: 'warning',
    says: ({ line }) => `Line ${line} of the policy is blank, which its grammar has no place for.`,
    cites: POLICY,
    fix: 'Remove blank lines.',
  }),
  'mta-sts-policy-fields-repeated': rule<{ names: readonly string[] }>({
    severity: 'warning',
    says: ({ names }) =>
      `Of policy fields that stand more than once only the first counts: ${names.join(', ')}.`,
    cites: POLICY,
    fix: 'Keep each field but mx once.',
  }),
  'mta-sts-policy-field-missing': rule<{ name: string }>({
    severity: 'error',
    says: ({ name }) => `The policy has no ${name} field.`,
    cites: POLICY,
    fix: 'State version, mode and max_age, and an mx field for each MX host unless the mode is none.',
    subject: 'name',
  }),
  'mta-sts-policy-field-invalid': rule<{ name: string; value: string }>({
    severity: 'error',
    says: ({ name, value }) => `"${value}" is not a value of the field ${name}.`,
    cites: POLICY,
    fix: 'The version is STSv1; the mode enforce, testing or none; max_age seconds from 0 to 31557600; mx a host name, or *. and a domain.',
    subject: 'name',
  }),
  'mta-sts-mode-none': rule({
    severity: 'warning',
    says: () => 'The mode is none: senders deliver as if there were no policy.',
    cites: 'RFC 8461 section 5',
    fix: 'Set the mode to testing, and to enforce once TLS reports show no failures.',
  }),
  'mta-sts-mode-testing': rule({
    severity: 'notice',
    says: () => 'The mode is testing: failures are reported, and mail is delivered all the same.',
    cites: 'RFC 8461 section 5',
    fix: 'Set the mode to enforce once TLS reports show no failures.',
  }),
  'mta-sts-max-age-low': rule<{ seconds: number }>({
    severity: 'warning',
    says: ({ seconds }) =>
      `Senders keep the policy for ${seconds} seconds only, which leaves an attacker frequent gaps.`,
    cites: 'RFC 8461 section 10.2',
    fix: 'Raise max_age to weeks, such as 2419200.',
  }),

  'mta-sts-mx-not-covered': rule<{ host: string }>({
    severity: 'error',
    says: ({ host }) =>
      `No mx field of the policy matches the MX host ${host}; senders must not deliver to it.`,
    cites: 'RFC 8461 section 4.1',
    fix: 'Add the host to the policy, then change the id of the record.',
    subject: 'host',
  }),
  'mta-sts-mx-not-covered-yet': rule<{ host: string }>({
    severity: 'warning',
    says: ({ host }) =>
      `No mx field of the policy matches the MX host ${host}, which would get no mail in mode enforce.`,
    cites: 'RFC 8461 section 4.1',
    fix: 'Add the host to the policy, then change the id of the record.',
    subject: 'host',
  }),
  'mta-sts-mx-not-secure': rule<{ host: string; ip: string; problem: string }>({
    severity: 'error',
    says: ({ host, ip, problem }) =>
      `The MX host ${host} (${ip}) does not meet the policy: ${problem}; senders must not deliver to it.`,
    cites: 'RFC 8461 section 4.2',
    fix: 'Have the host offer STARTTLS with a current certificate of a public authority that names it.',
    subject: 'host',
  }),
  'mta-sts-mx-not-secure-yet': rule<{ host: string; ip: string; problem: string }>({
    severity: 'warning',
    says: ({ host, ip, problem }) =>
      `The MX host ${host} (${ip}) does not meet the policy: ${problem}; it would get no mail in mode enforce.`,
    cites: 'RFC 8461 section 4.2',
    fix: 'Have the host offer STARTTLS with a current certificate of a public authority that names it.',
    subject: 'host',
  }),
  'mta-sts-mx-not-asked': rule<{ hosts: readonly string[] }>({
    severity: 'notice',
    says: ({ hosts }) =>
      `Whether the certificates of the MX hosts meet the policy could not be asked of ${hosts.join(', ')}.`,
    cites: 'RFC 8461 section 4.2',
    fix: 'Run the check from a network that may connect to port 25; if it does there, look at the mail servers.',
  }),
  'mta-sts-no-mx': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) => `${domain} has no MX host for the policy to protect.`,
    cites: 'RFC 8461 section 4.1',
    fix: 'Remove MTA-STS from a domain that takes no mail, or publish its MX records.',
  }),
  'mta-sts-mx-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    says: ({ reason }) =>
      `The MX records could not be looked up (${reason}), so the policy was not compared with them.`,
    cites: 'RFC 8461 section 4.1',
    fix: 'Check the name servers of the domain if this persists.',
  }),
} satisfies Rules;
