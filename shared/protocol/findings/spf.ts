/** The rules of the SPF check (RFC 7208). */
import { type Rules, rule } from './finding.ts';

/** A term in the record of a domain. */
type InRecord = { readonly domain: string; readonly term: string };
type AtDomain = { readonly domain: string };

const LIMITS = 'RFC 7208 section 4.6.4';
const CUT_LOOKUPS =
  'Remove includes of services that no longer send, replace a and mx by the addresses they stand for, or use the flattened record.';

export const spfRules = {
  'spf-missing': rule<AtDomain>({
    severity: 'error',
    says: ({ domain }) => `${domain} has no SPF record.`,
    cites: 'RFC 7208 section 4.5',
    fix: 'Publish one TXT record that begins with "v=spf1", names your senders and ends in "-all"; "v=spf1 -all" where nothing sends.',
  }),
  'spf-lookalike': rule<AtDomain & { text: string }>({
    severity: 'warning',
    says: ({ domain, text }) =>
      `A TXT record of ${domain} looks like SPF but does not begin with "v=spf1" and a space, so it is ignored: ${text}`,
    cites: 'RFC 7208 section 4.5',
    fix: 'Begin the record with exactly "v=spf1 ", without quotes or spaces before it.',
    subject: 'domain',
  }),
  'spf-multiple-records': rule<AtDomain & { count: number }>({
    severity: 'error',
    says: ({ domain, count }) => `${domain} has ${count} SPF records; receivers apply none of them.`,
    cites: 'RFC 7208 section 3.2',
    fix: 'Merge the records into one.',
    subject: 'domain',
  }),
  'spf-syntax': rule<InRecord & { at: number; fault: string }>({
    severity: 'error',
    says: ({ domain, term, at, fault }) =>
      `The record of ${domain} is invalid at offset ${at}: ${fault} in "${term}".`,
    cites: 'RFC 7208 section 4.6',
    fix: 'Correct the term: a single one that cannot be read voids the whole record.',
    subject: 'term',
  }),
  'spf-too-many-lookups': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) =>
      `The record needs ${count} DNS look-ups; receivers stop after 10 with a permanent error.`,
    cites: LIMITS,
    fix: CUT_LOOKUPS,
  }),
  'spf-many-lookups': rule<{ count: number }>({
    severity: 'warning',
    says: ({ count }) => `The record needs ${count} of the 10 DNS look-ups that receivers make.`,
    cites: LIMITS,
    fix: CUT_LOOKUPS,
  }),
  'spf-too-many-void-lookups': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) =>
      `${count} terms ask for names that have no such records; receivers stop after 2 with a permanent error.`,
    cites: LIMITS,
    fix: 'Remove the terms whose names no longer exist.',
  }),
  'spf-void-lookups-of-family': rule<{ family: string; count: number }>({
    severity: 'warning',
    says: ({ family, count }) =>
      `For clients with ${family} addresses ${count} terms find no address; strict receivers stop after 2 with a permanent error.`,
    cites: LIMITS,
    fix: 'List the addresses with ip4 and ip6 in place of names that have addresses of one family only.',
    subject: 'family',
  }),
  'spf-void-lookup': rule<InRecord & { name: string }>({
    severity: 'warning',
    says: ({ domain, term, name }) => `"${term}" in the record of ${domain} leads to nothing: ${name}.`,
    cites: LIMITS,
    fix: 'Remove the term, or correct its name; a name that anyone can register lets them send.',
    subject: 'name',
  }),
  'spf-no-record-behind': rule<InRecord & { target: string }>({
    severity: 'error',
    says: ({ domain, term, target }) =>
      `"${term}" in the record of ${domain} is a permanent error: ${target} has no SPF record.`,
    cites: 'RFC 7208 sections 5.2 and 6.1',
    fix: 'Remove the term, or correct its name.',
    subject: 'target',
  }),
  'spf-loop': rule<InRecord & { target: string }>({
    severity: 'error',
    says: ({ domain, term, target }) =>
      `"${term}" in the record of ${domain} leads back to ${target}, so look-ups never end.`,
    cites: LIMITS,
    fix: 'Remove the term that closes the circle.',
    subject: 'target',
  }),
  'spf-too-many-mx-names': rule<InRecord & { name: string; count: number }>({
    severity: 'error',
    says: ({ domain, term, name, count }) =>
      `"${term}" in the record of ${domain} is a permanent error: ${name} has ${count} MX names, more than 10.`,
    cites: LIMITS,
    fix: 'List the addresses of the senders with ip4 and ip6.',
    subject: 'name',
  }),
  'spf-dead-mx-hosts': rule<InRecord & { hosts: readonly string[] }>({
    severity: 'notice',
    says: ({ domain, term, hosts }) =>
      `Hosts behind "${term}" in the record of ${domain} have no address: ${hosts.join(', ')}.`,
    cites: 'RFC 7208 section 5.4',
    fix: 'Remove the hosts from the MX records.',
    subject: 'domain',
  }),
  'spf-ptr': rule<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the record of ${domain} relies on reverse DNS, which is slow, unreliable and skipped by large receivers.`,
    cites: 'RFC 7208 section 5.5',
    fix: 'List the addresses of the senders with ip4 and ip6.',
    subject: 'domain',
  }),
  'spf-pass-all': rule<AtDomain>({
    severity: 'warning',
    says: ({ domain }) => `"+all" in the record of ${domain} lets every host of the internet send.`,
    cites: 'RFC 7208 section 5.1',
    fix: 'End the record in "-all" or "~all".',
    subject: 'domain',
  }),
  'spf-neutral-all': rule<AtDomain>({
    severity: 'warning',
    says: ({ domain }) => `"?all" in the record of ${domain} says nothing of hosts that are not listed.`,
    cites: 'RFC 7208 section 8.2',
    fix: 'End the record in "-all" or "~all".',
  }),
  'spf-no-all': rule<AtDomain>({
    severity: 'warning',
    says: ({ domain }) =>
      `The record of ${domain} has neither "all" nor "redirect", so hosts not listed are neutral.`,
    cites: 'RFC 7208 section 4.7',
    fix: 'End the record in "-all" or "~all".',
  }),
  'spf-exists-for-everyone': rule<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the record of ${domain} does not depend on the client: as long as the name exists, it matches every host.`,
    cites: 'RFC 7208 section 5.7',
    fix: 'Use a name with a macro such as %{i}, or remove the term.',
    subject: 'term',
  }),
  'spf-term-after-all': rule<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) => `"${term}" in the record of ${domain} stands after "all" and is ignored.`,
    cites: 'RFC 7208 section 5.1',
    fix: 'Move the term before "all", or remove it.',
    subject: 'term',
  }),
  'spf-redirect-beside-all': rule<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the record of ${domain} is ignored, since the record has "all".`,
    cites: 'RFC 7208 section 6.1',
    fix: 'Remove either "all" or the redirect.',
    subject: 'term',
  }),
  'spf-duplicate-term': rule<InRecord & { first: string }>({
    severity: 'warning',
    says: ({ domain, term, first }) =>
      term === first
        ? `"${term}" stands more than once in the record of ${domain}.`
        : `"${term}" in the record of ${domain} never decides: "${first}" before it matches the same clients.`,
    cites: 'RFC 7208 section 4.6.2',
    fix: 'Keep the one that is meant: only the first has an effect.',
    subject: 'term',
  }),
  'spf-repeated-include': rule<{ target: string; count: number; lookups: number }>({
    severity: 'notice',
    says: ({ target, count, lookups }) =>
      `The record of ${target} is reached ${count} times, each at ${lookups} DNS ${lookups === 1 ? 'look-up' : 'look-ups'}.`,
    cites: LIMITS,
    fix: 'Include the record once.',
    subject: 'target',
  }),
  'spf-mechanism-as-modifier': rule<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the record of ${domain} is written with "=" and thus ignored as an unknown modifier.`,
    cites: 'RFC 7208 section 6',
    fix: 'Write the mechanism with ":".',
    subject: 'term',
  }),
  'spf-merged-records': rule<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" inside the record of ${domain} looks like the beginning of another record that was joined to it; receivers ignore it.`,
    cites: 'RFC 7208 section 4.5',
    fix: 'Make one record of both: one "v=spf1", the terms of both, and one "all" at the end.',
    subject: 'term',
  }),
  'spf-unknown-modifier': rule<InRecord>({
    severity: 'notice',
    says: ({ domain, term }) => `"${term}" in the record of ${domain} is an unknown modifier and ignored.`,
    cites: 'RFC 7208 section 6',
    fix: 'Remove the modifier.',
    subject: 'term',
  }),
  'spf-record-too-long': rule<AtDomain & { octets: number }>({
    severity: 'warning',
    says: ({ domain, octets }) =>
      `Name and record of ${domain} are ${octets} octets long; over 450 an answer may not fit into a UDP packet.`,
    cites: 'RFC 7208 section 3.4',
    fix: 'Move a part of the terms into a record of a name of its own and include that.',
    subject: 'domain',
  }),
  'spf-wide-range': rule<InRecord & { range: string }>({
    severity: 'warning',
    says: ({ domain, term, range }) =>
      `"${term}" in the record of ${domain} covers ${range}, far more hosts than send mail for one domain.`,
    cites: 'RFC 7208 section 11.4',
    fix: 'Name the addresses that send, or the smallest ranges around them.',
    subject: 'range',
  }),
  'spf-special-range': rule<InRecord & { range: string }>({
    severity: 'warning',
    says: ({ domain, term, range }) =>
      `"${term}" in the record of ${domain} covers ${range}, which is not routed on the internet.`,
    cites: 'RFC 6890 section 2.2',
    fix: 'Name the public addresses from which mail leaves.',
    subject: 'range',
  }),
  'spf-overlap': rule<{ range: string; term: string; within: string; other: string }>({
    severity: 'notice',
    says: ({ range, term, within, other }) =>
      range === within
        ? `${range} ("${term}") is already let pass by "${other}".`
        : `${range} ("${term}") already lies within ${within} ("${other}").`,
    cites: 'RFC 7208 section 10.1.1',
    fix: 'Remove the term that the other one makes needless, unless it outlives that.',
    subject: 'range',
  }),
  'spf-bits-beyond-prefix': rule<InRecord & { range: string }>({
    severity: 'notice',
    says: ({ domain, term, range }) =>
      `"${term}" in the record of ${domain} has address bits beyond its prefix length; it means ${range}.`,
    cites: 'RFC 7208 section 5.6',
    fix: 'Write the range as receivers read it.',
    subject: 'term',
  }),
  'spf-depends-on-message': rule<InRecord>({
    severity: 'notice',
    says: ({ domain, term }) =>
      `"${term}" in the record of ${domain} has macros that only a message fills; what it costs and matches beyond its own look-up cannot be told.`,
    cites: 'RFC 7208 section 7.2',
    fix: 'Ask the service behind it how many look-ups it takes.',
    subject: 'term',
  }),
  'spf-lookup-unavailable': rule<{ question: string }>({
    severity: 'notice',
    says: ({ question }) => `The DNS did not answer for ${question}; what lies behind it is unknown.`,
    cites: 'RFC 7208 section 4.4',
    fix: 'Check again; if it lasts, look at the name servers of that name.',
    subject: 'question',
  }),
  'spf-expansion-cut': rule<{ limit: string }>({
    severity: 'notice',
    says: ({ limit }) =>
      `The record leads to more than is followed here (${limit}); the result is not complete.`,
    cites: LIMITS,
    fix: CUT_LOOKUPS,
    subject: 'limit',
  }),
} satisfies Rules;
