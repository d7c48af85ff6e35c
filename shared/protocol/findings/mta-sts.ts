/** The rules of the MTA-STS check (RFC 8461). */
import {
  type ExpiryArguments,
  expires,
  type FindingAudience,
  type Rules,
  retryLookup,
  rule,
} from './finding.ts';

const RECORD = 'RFC 8461 section 3.1';
const POLICY = 'RFC 8461 section 3.2';
const FETCHING = 'RFC 8461 section 3.3';

/** A record that senders can read brings into effect whatever policy is served. */
const COMPARE_FIRST =
  'Senders then apply the policy that is served, so compare its mx fields with the MX records first.';

const recordFix = (_: unknown, { domain }: FindingAudience): string =>
  `Replace the record at _mta-sts.${domain}, for example with "v=STSv1; id=1". The id consists of 1 to 32 letters and digits, and changes with the policy. ${COMPARE_FIRST}`;

export const mtaStsRules = {
  'mta-sts-missing': rule<{ dane?: boolean }>({
    severity: 'notice',
    state: 'absent',
    says: ({ dane }) =>
      dane === true
        ? 'There is no MTA-STS record. DANE protects mail from senders that support it; mail from others can be forced to be delivered unencrypted (STARTTLS stripping).'
        : 'There is no MTA-STS record, so an on-path attacker can force unencrypted delivery (STARTTLS stripping).',
    cites: RECORD,
    fix: (_, { domain }) =>
      `Serve a policy in testing mode at https://mta-sts.${domain}/.well-known/mta-sts.txt, and publish the TXT record "v=STSv1; id=1" at _mta-sts.${domain}. Change the mode to enforce, and the id, once TLS reports show no failures.`,
  }),
  'mta-sts-not-needed': rule({
    severity: 'notice',
    state: 'absent',
    says: () =>
      'There is no MTA-STS record. The null MX says that the domain accepts no mail, so it needs none.',
    cites: 'RFC 7505 section 3',
    fix: 'No action needed, unless the domain is to receive mail: then publish MX records first.',
  }),
  'mta-sts-multiple-records': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `There are ${count} MTA-STS records, so senders act as if there were none.`,
    cites: RECORD,
    fix: `Keep exactly one TXT record that starts with "v=STSv1;". ${COMPARE_FIRST}`,
  }),
  'mta-sts-record-ignored': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) =>
      `The MTA-STS record does not start with exactly "v=STSv1;", so senders ignore it: "${text}".`,
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-record-malformed': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) =>
      `The MTA-STS record contains an invalid field, which makes the whole record invalid: "${text}".`,
    cites: RECORD,
    fix: 'Write each field as name=value without spaces, and separate fields with semicolons.',
  }),
  'mta-sts-id-missing': rule({
    severity: 'error',
    says: () => 'The MTA-STS record has no id field, which makes it invalid.',
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-id-invalid': rule<{ text: string }>({
    severity: 'error',
    says: ({ text }) =>
      `The id "${text}" in the MTA-STS record is invalid. It must consist of 1 to 32 letters and digits.`,
    cites: RECORD,
    fix: recordFix,
  }),
  'mta-sts-fields-repeated': rule<{ names: readonly string[] }>({
    severity: 'warning',
    says: ({ names }) =>
      `The MTA-STS record contains duplicate fields, of which only the first counts: ${names.join(', ')}.`,
    cites: POLICY,
    fix: 'Keep only one of each field.',
  }),
  'mta-sts-record-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ reason }) => `The DNS lookup for the MTA-STS record failed (${reason}).`,
    cites: RECORD,
    fix: retryLookup,
  }),

  'mta-sts-policy-without-record': rule<{ mode?: string }>({
    severity: 'notice',
    state: 'absent',
    says: () =>
      'An MTA-STS policy is served, but senders do not look for it because there is no TXT record at _mta-sts.',
    cites: RECORD,
    fix: ({ mode }, { domain }) =>
      `${mode === 'enforce' ? 'Make sure that the policy names every MX host, and that each one has a valid certificate' : 'Set the mode of the policy to testing'}, then publish the TXT record "v=STSv1; id=1" at _mta-sts.${domain}.`,
  }),
  'mta-sts-policy-unavailable': rule<{ detail: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ detail }) => `The MTA-STS policy could not be fetched: ${detail}.`,
    cites: FETCHING,
    fix: 'Try again. If it keeps failing, check the policy host.',
  }),
  'mta-sts-policy-host-missing': rule<{ host: string }>({
    severity: 'error',
    says: ({ host }) =>
      `The policy host ${host} has no A or AAAA record, so senders cannot fetch the policy.`,
    cites: FETCHING,
    fix: ({ host }) => `Publish an A or AAAA record for ${host}, and serve the policy there.`,
  }),
  'mta-sts-policy-certificate': rule<{ host: string; detail: string }>({
    severity: 'error',
    says: ({ host, detail }) => `The certificate of the policy host ${host} is not valid: ${detail}.`,
    cites: FETCHING,
    fix: 'Install a certificate from a public CA that includes this host name and has not expired.',
  }),
  'mta-sts-policy-certificate-expiring': rule<{ host: string } & ExpiryArguments>({
    severity: 'notice',
    raisesAlert: true,
    says: ({ host, ...end }) => `The certificate of the policy host ${host} ${expires(end)}.`,
    cites: FETCHING,
    fix: 'Renew the certificate before that date.',
  }),
  'mta-sts-policy-redirected': rule({
    severity: 'error',
    says: () => 'The policy host answers with a redirect, which senders must not follow.',
    cites: FETCHING,
    fix: 'Serve the policy directly at the well-known URL.',
  }),
  'mta-sts-policy-not-served': rule<{ detail: string }>({
    severity: 'error',
    says: ({ detail }) => `The policy host does not serve the policy: ${detail}.`,
    cites: FETCHING,
    fix: 'Serve the policy at /.well-known/mta-sts.txt with HTTP status 200, over HTTPS and from a public IP address.',
  }),
  'mta-sts-policy-media-type': rule<{ mediaType: string }>({
    severity: 'warning',
    says: ({ mediaType }) =>
      `The policy is served as "${mediaType}" instead of text/plain; strict senders reject it.`,
    cites: POLICY,
    fix: 'Serve the policy with "Content-Type: text/plain".',
  }),

  'mta-sts-policy-too-large': rule<{ limit: number }>({
    severity: 'error',
    says: ({ limit }) => `The policy is larger than ${limit} bytes, the most that senders have to read.`,
    cites: FETCHING,
    fix: 'Shorten the policy. A wildcard can cover many hosts.',
  }),
  'mta-sts-policy-malformed': rule<{ line: number; text: string; count: number }>({
    severity: 'error',
    says: ({ line, text, count }) =>
      `Line ${line} of the policy is not a valid field${count > 1 ? ` (${count} invalid lines in total)` : ''}: "${text}".`,
    cites: POLICY,
    fix: 'Write each line as "name: value", in UTF-8 without a byte order mark.',
  }),
  'mta-sts-policy-blank-line': rule<{ line: number }>({
    severity: 'warning',
    says: ({ line }) => `Line ${line} of the policy is blank, which the policy syntax does not allow.`,
    cites: POLICY,
    fix: 'Remove blank lines.',
  }),
  'mta-sts-policy-fields-repeated': rule<{ names: readonly string[] }>({
    severity: 'warning',
    says: ({ names }) =>
      `The policy contains duplicate fields, of which only the first counts: ${names.join(', ')}.`,
    cites: POLICY,
    fix: 'Keep only one of each field except mx.',
  }),
  'mta-sts-policy-field-missing': rule<{ name: string }>({
    severity: 'error',
    says: ({ name }) => `The policy has no ${name} field, which makes it invalid.`,
    cites: POLICY,
    fix: 'Set version, mode and max_age. Add an mx field for each MX host unless the mode is none.',
    subject: 'name',
  }),
  'mta-sts-policy-field-invalid': rule<{ name: string; value: string }>({
    severity: 'error',
    says: ({ name, value }) => `"${value}" is not a valid value for the ${name} field of the policy.`,
    cites: POLICY,
    fix: 'Set version to STSv1, mode to enforce, testing or none, max_age to a number of seconds from 0 to 31557600, and mx to a host name or to *. followed by a domain.',
    subject: 'name',
  }),
  'mta-sts-mode-none': rule({
    severity: 'warning',
    says: () => 'The policy mode is none: senders deliver as if there were no policy.',
    cites: 'RFC 8461 section 8.3',
    fix: 'To withdraw MTA-STS, serve this policy until senders have forgotten the one before, which takes as long as its max_age. Then remove the TXT record and the policy. If you did not mean to withdraw it, serve the earlier policy again and change the id.',
  }),
  'mta-sts-mode-testing': rule({
    severity: 'notice',
    says: () => 'The policy mode is testing: senders report failures but still deliver the mail.',
    cites: 'RFC 8461 section 5',
    fix: 'Set the mode to enforce once TLS reports show no failures.',
  }),
  'mta-sts-max-age-low': rule<{ seconds: number }>({
    severity: 'warning',
    says: ({ seconds }) =>
      `Senders cache the policy for only ${seconds} seconds, so an attacker often finds senders without a cached policy.`,
    cites: 'RFC 8461 section 10.2',
    fix: 'Raise max_age to several weeks, such as 2419200 seconds.',
  }),

  'mta-sts-mx-not-covered': rule<{ host: string }>({
    severity: 'error',
    says: ({ host }) =>
      `No mx field of the policy matches the MX host ${host}, so senders must not deliver to it.`,
    cites: 'RFC 8461 section 4.1',
    fix: ({ host }, { domain }) =>
      `Add "mx: ${host}" to the policy, then change the id in the record at _mta-sts.${domain}.`,
    subject: 'host',
  }),
  'mta-sts-mx-not-covered-yet': rule<{ host: string }>({
    severity: 'warning',
    says: ({ host }) =>
      `No mx field of the policy matches the MX host ${host}, so it would receive no mail in enforce mode.`,
    cites: 'RFC 8461 section 4.1',
    fix: ({ host }, { domain }) =>
      `Add "mx: ${host}" to the policy, then change the id in the record at _mta-sts.${domain}.`,
    subject: 'host',
  }),
  'mta-sts-mx-not-secure': rule<{ host: string; ip: string; problem: string }>({
    severity: 'error',
    says: ({ host, ip, problem }) =>
      `The MX host ${host} (${ip}) does not meet the policy, so senders must not deliver to it: ${problem}.`,
    cites: 'RFC 8461 section 4.2',
    fix: ({ host }) =>
      `Make ${host} offer STARTTLS with a valid certificate from a public CA that includes this name.`,
    subject: 'host',
  }),
  'mta-sts-mx-not-secure-yet': rule<{ host: string; ip: string; problem: string }>({
    severity: 'warning',
    says: ({ host, ip, problem }) =>
      `The MX host ${host} (${ip}) does not meet the policy, so it would receive no mail in enforce mode: ${problem}.`,
    cites: 'RFC 8461 section 4.2',
    fix: ({ host }) =>
      `Make ${host} offer STARTTLS with a valid certificate from a public CA that includes this name.`,
    subject: 'host',
  }),
  'mta-sts-mx-not-asked': rule<{ hosts: readonly string[] }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ hosts }) =>
      `These MX hosts could not be checked, so it is unknown whether their certificates meet the policy: ${hosts.join(', ')}.`,
    cites: 'RFC 8461 section 4.2',
    fix: 'Run the check from a network that allows outbound connections to port 25. If it fails there too, check the mail servers.',
  }),
  'mta-sts-no-mx': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) => `${domain} has no MX host for the policy to protect.`,
    cites: 'RFC 8461 section 4.1',
    fix: 'Remove MTA-STS if the domain accepts no mail. Otherwise, publish its MX records.',
  }),
  'mta-sts-mx-unavailable': rule<{ reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ reason }) =>
      `The MX lookup failed (${reason}), so the policy was not compared with the MX records.`,
    cites: 'RFC 8461 section 4.1',
    fix: retryLookup,
  }),
} satisfies Rules;
