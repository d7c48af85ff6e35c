/** The rules of the SPF check (RFC 7208). */
import { pluralize } from '../quantity.ts';
import { type FindingAudience, ifRegistered, isOfOwner, type Rule, type Rules, rule } from './finding.ts';

/** A term in the SPF record of a domain. */
type InRecord = { readonly domain: string; readonly term: string };
type AtDomain = { readonly domain: string };

const LIMITS = 'RFC 7208 section 4.6.4';
const CUT_LOOKUPS =
  'Remove includes of services that no longer send for you, replace a and mx with the addresses of your own hosts, or let some services send from a subdomain with an SPF record of its own.';

const END_RECORD =
  'List all your senders, and end the record with "~all". If the domain sends no mail, end it with "-all".';

/** The limits of an expansion, in words. */
const limitNames: Readonly<Record<string, string>> = {
  records: 'number of records',
  terms: 'number of terms',
  questions: 'number of DNS lookups',
  octets: 'total size of the DNS answers',
  milliseconds: 'time',
};

const inBrackets = (reason: string | undefined) => (reason === undefined ? '' : ` (${reason})`);
interface Overlap {
  readonly range: string;
  readonly term: string;
  readonly within: string;
  readonly other: string;
  /** The domains of the records that the two terms are in. */
  readonly domain: string;
  readonly otherDomain: string;
}

const inRecord = (term: string, domain: string) => `"${term}" in the SPF record of ${domain}`;

/** RFC 7208 section 4.6.1: only a modifier has a name and "=". */
const kindOf = (term: string) => (/^[a-z][a-z0-9_.-]*=/i.test(term) ? 'modifier' : 'mechanism');

const STOP_USING = 'remove the include or redirect that leads to it';

/**
 * A rule about the record of a domain that can be somebody else's, to which an include or redirect leads.
 * @param ofOthers What to do then. By default, an include goes only if it fails: without one that works, mail of a service can fail.
 */
function anyRecord<A extends AtDomain>(
  entry: Rule<A>,
  ofOthers = entry.severity === 'error'
    ? `ask its owner to correct it, or ${STOP_USING}`
    : 'ask its owner to correct it',
): Rule<A> {
  const fix = (args: A, owner: FindingAudience): string => {
    const own = typeof entry.fix === 'string' ? entry.fix : entry.fix(args, owner);
    if (isOfOwner(args.domain, owner)) return own;
    return `If ${args.domain} is not yours, ${ofOthers}. Otherwise: ${own}`;
  };
  return { ...entry, fix };
}

export const spfRules = {
  'spf-missing': rule<AtDomain>({
    severity: 'warning',
    state: 'absent',
    says: ({ domain }) =>
      `${domain} has no SPF record, so receivers cannot tell which hosts are allowed to send its mail.`,
    cites: 'RFC 7208 section 4.5',
    fix: ({ domain }) =>
      `Publish one TXT record at ${domain} that starts with "v=spf1", lists your senders and ends with "~all". If the domain sends no mail, publish "v=spf1 -all".`,
  }),
  'spf-lookalike': anyRecord<AtDomain & { text: string }>({
    severity: 'warning',
    says: ({ domain, text }) =>
      `A TXT record of ${domain} looks like SPF but does not start with "v=spf1" and a space, so receivers ignore it: ${text}`,
    cites: 'RFC 7208 section 4.5',
    fix: 'Start the record with exactly "v=spf1 ", with no quotes or spaces before it.',
    subject: 'domain',
  }),
  'spf-multiple-records': anyRecord<AtDomain & { count: number }>({
    severity: 'error',
    says: ({ domain, count }) => `${domain} has ${count} SPF records; SPF evaluation ends in permerror.`,
    cites: 'RFC 7208 section 3.2',
    fix: ({ domain }) => `Merge the records at ${domain} into one.`,
    subject: 'domain',
  }),
  'spf-syntax': anyRecord<InRecord & { at: number; fault: string }>({
    severity: 'error',
    says: ({ domain, term, at, fault }) =>
      `Syntax error in the SPF record of ${domain} at offset ${at}, in "${term}": ${fault}.`,
    cites: 'RFC 7208 section 4.6',
    fix: 'Fix the syntax: one invalid term makes the whole record a permerror.',
    subject: 'term',
  }),
  'spf-too-many-lookups': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `The SPF record causes ${count} DNS lookups; receivers return permerror after 10.`,
    cites: LIMITS,
    fix: CUT_LOOKUPS,
  }),
  'spf-many-lookups': rule<{ count: number }>({
    severity: 'warning',
    says: ({ count }) => `The SPF record uses ${count} of the 10 DNS lookups that receivers allow.`,
    cites: LIMITS,
    fix: CUT_LOOKUPS,
  }),
  'spf-too-many-void-lookups': rule<{ count: number }>({
    severity: 'error',
    says: ({ count }) => `The SPF record causes ${count} void lookups; receivers return permerror after 2.`,
    cites: LIMITS,
    fix: 'Remove the mechanisms whose names no longer exist.',
  }),
  'spf-void-lookups-of-family': rule<{ family: string; count: number }>({
    severity: 'warning',
    says: ({ family, count }) =>
      `For clients with ${family} addresses, the SPF record causes ${count} void lookups; strict receivers return permerror after 2.`,
    cites: LIMITS,
    fix: 'Replace names that have addresses of only one family with ip4 and ip6 mechanisms.',
    subject: 'family',
  }),
  'spf-void-lookup': anyRecord<InRecord & { name: string }>({
    severity: 'warning',
    says: ({ domain, term, name }) =>
      `"${term}" in the SPF record of ${domain} causes a void lookup: ${name} does not exist or has no such record.`,
    cites: LIMITS,
    fix: ({ name }, owner) =>
      `Remove the mechanism or correct its host name.${ifRegistered(name, owner, 'send')}`,
    subject: 'name',
  }),
  'spf-no-record-behind': anyRecord<InRecord & { target: string }>({
    severity: 'error',
    says: ({ domain, term, target }) =>
      `"${term}" in the SPF record of ${domain} causes a permerror: ${target} has no SPF record.`,
    cites: 'RFC 7208 sections 5.2 and 6.1',
    fix: ({ target }, owner) =>
      `Remove the include or redirect, or correct its domain name.${ifRegistered(target, owner, 'send')}`,
    subject: 'target',
  }),
  'spf-loop': anyRecord<InRecord & { target: string }>({
    severity: 'error',
    says: ({ domain, term, target }) =>
      `"${term}" in the SPF record of ${domain} creates an include loop back to ${target}, so SPF evaluation exceeds the lookup limit.`,
    cites: LIMITS,
    fix: 'Remove the include or redirect that causes the loop.',
    subject: 'target',
  }),
  'spf-too-many-mx-names': anyRecord<InRecord & { name: string; count: number }>({
    severity: 'error',
    says: ({ domain, term, name, count }) =>
      `"${term}" in the SPF record of ${domain} causes a permerror: ${name} has ${count} MX records, and the limit is 10.`,
    cites: LIMITS,
    fix: 'List the addresses of your senders with ip4 and ip6 mechanisms instead.',
    subject: 'name',
  }),
  'spf-dead-mx-hosts': anyRecord<InRecord & { hosts: readonly string[] }>({
    severity: 'notice',
    says: ({ domain, term, hosts }) =>
      `"${term}" in the SPF record of ${domain} refers to MX hosts that have no address: ${hosts.join(', ')}.`,
    cites: 'RFC 7208 section 5.4',
    fix: 'Remove these hosts from the MX records.',
    subject: 'domain',
  }),
  'spf-ptr': anyRecord<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the SPF record of ${domain} uses reverse DNS, which is slow and unreliable. Large receivers skip it.`,
    cites: 'RFC 7208 section 5.5',
    fix: 'List the addresses of your senders with ip4 and ip6 mechanisms instead.',
    subject: 'domain',
  }),
  'spf-pass-all': anyRecord<AtDomain>(
    {
      severity: 'warning',
      says: ({ domain }) => `"+all" in the SPF record of ${domain} authorizes every host on the internet.`,
      cites: 'RFC 7208 section 5.1',
      fix: END_RECORD,
      subject: 'domain',
    },
    STOP_USING,
  ),
  'spf-neutral-all': anyRecord<AtDomain>({
    severity: 'warning',
    says: ({ domain }) =>
      `"?all" in the SPF record of ${domain} makes the result for unlisted hosts neutral: receivers treat their mail as if there were no SPF record.`,
    cites: 'RFC 7208 section 8.2',
    fix: END_RECORD,
  }),
  'spf-no-all': anyRecord<AtDomain>({
    severity: 'warning',
    says: ({ domain }) =>
      `The SPF record of ${domain} has neither "all" nor "redirect", so the result for unlisted hosts is neutral.`,
    cites: 'RFC 7208 section 4.7',
    fix: END_RECORD,
  }),
  'spf-exists-for-everyone': anyRecord<InRecord>(
    {
      severity: 'warning',
      says: ({ domain, term }) =>
        `"${term}" in the SPF record of ${domain} does not depend on the client: as long as the name exists, it matches every host.`,
      cites: 'RFC 7208 section 5.7',
      fix: 'Use a name with a macro such as %{i}, or remove the mechanism.',
      subject: 'term',
    },
    STOP_USING,
  ),
  'spf-term-after-all': anyRecord<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the SPF record of ${domain} comes after "all", so receivers ignore it.`,
    cites: 'RFC 7208 section 5.1',
    fix: 'Move the mechanism before "all", or remove it.',
    subject: 'term',
  }),
  'spf-redirect-beside-all': anyRecord<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the SPF record of ${domain} has no effect, because the record also contains "all".`,
    cites: 'RFC 7208 section 6.1',
    fix: 'Remove either "all" or the redirect.',
    subject: 'term',
  }),
  'spf-duplicate-term': anyRecord<InRecord & { first: string }>({
    severity: 'warning',
    says: ({ domain, term, first }) =>
      term === first
        ? `Duplicate ${kindOf(term)}: the SPF record of ${domain} contains "${term}" more than once.`
        : `Duplicate mechanism: "${term}" in the SPF record of ${domain} has no effect, because the earlier "${first}" matches the same hosts.`,
    cites: 'RFC 7208 section 4.6.2',
    fix: 'Keep the one you need and remove the other. Only the first one has an effect.',
    subject: 'term',
  }),
  'spf-repeated-include': rule<{ target: string; count: number; lookups: number }>({
    severity: 'notice',
    says: ({ target, count, lookups }) =>
      `The SPF record of ${target} is included ${count} times, at ${pluralize(lookups, 'DNS lookup')} each.`,
    cites: LIMITS,
    fix: ({ target }) => `Include ${target} only once.`,
    subject: 'target',
  }),
  'spf-mechanism-as-modifier': anyRecord<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" in the SPF record of ${domain} is a mechanism written with "=". Receivers read it as an unknown modifier and ignore it.`,
    cites: 'RFC 7208 section 6',
    fix: 'Write the mechanism with ":" instead of "=".',
    subject: 'term',
  }),
  'spf-merged-records': anyRecord<InRecord>({
    severity: 'warning',
    says: ({ domain, term }) =>
      `"${term}" inside the SPF record of ${domain} looks like the start of another record that was appended to it. Receivers ignore it.`,
    cites: 'RFC 7208 section 4.5',
    fix: 'Merge both into one record: one "v=spf1", the terms of both, and one "all" at the end.',
    subject: 'term',
  }),
  'spf-unknown-modifier': anyRecord<InRecord>({
    severity: 'notice',
    says: ({ domain, term }) =>
      `"${term}" in the SPF record of ${domain} is an unknown modifier; receivers ignore it.`,
    cites: 'RFC 7208 section 6',
    fix: 'Remove the modifier.',
    subject: 'term',
  }),
  'spf-record-too-long': rule<AtDomain & { octets: number }>({
    severity: 'warning',
    says: ({ domain, octets }) =>
      `The name and the SPF record of ${domain} together are ${octets} bytes long. Above 450 bytes, the DNS answer may not fit into a UDP packet.`,
    cites: 'RFC 7208 section 3.4',
    fix: 'Move some mechanisms into a separate record and include it.',
    subject: 'domain',
  }),
  'spf-wide-range': anyRecord<InRecord & { range: string }>({
    severity: 'warning',
    says: ({ domain, term, range }) =>
      `"${term}" in the SPF record of ${domain} covers ${range}, far more hosts than send mail for one domain.`,
    cites: 'RFC 7208 section 11.4',
    fix: 'List the addresses that send, or the smallest ranges that cover them.',
    subject: 'range',
  }),
  'spf-special-range': anyRecord<InRecord & { range: string }>({
    severity: 'warning',
    says: ({ domain, term, range }) =>
      `"${term}" in the SPF record of ${domain} covers ${range}, which is not routed on the public internet.`,
    cites: 'RFC 6890 section 2.2',
    fix: 'List the public addresses that your mail is sent from.',
    subject: 'range',
  }),
  'spf-overlap': rule<Overlap>({
    severity: 'notice',
    says: ({ range, term, domain, within, other, otherDomain }) => {
      const by = `authorized by ${inRecord(other, otherDomain)}`;
      return range === within
        ? `Redundant: ${range}, authorized by ${inRecord(term, domain)}, is already ${by}.`
        : `Redundant: ${range}, authorized by ${inRecord(term, domain)}, is part of ${within}, which is already ${by}.`;
    },
    cites: 'RFC 7208 section 10.1.1',
    fix: ({ term, domain, other, otherDomain }) =>
      `If ${inRecord(term, domain)} authorizes nothing else, remove it, unless you plan to remove ${inRecord(other, otherDomain)}.`,
    subject: 'range',
  }),
  'spf-bits-beyond-prefix': anyRecord<InRecord & { range: string }>({
    severity: 'notice',
    says: ({ domain, term, range }) =>
      `"${term}" in the SPF record of ${domain} has host bits set beyond its prefix length; receivers read it as ${range}.`,
    cites: 'RFC 7208 section 5.6',
    fix: 'Write the range as receivers read it.',
    subject: 'term',
  }),
  'spf-depends-on-message': rule<InRecord>({
    severity: 'notice',
    says: ({ domain, term }) =>
      `"${term}" in the SPF record of ${domain} uses macros that are expanded per message, so its further lookups and matches cannot be determined in advance.`,
    cites: 'RFC 7208 section 7.2',
    fix: 'Ask the provider of the service how many DNS lookups this term causes.',
    subject: 'term',
  }),
  'spf-lookup-unavailable': rule<{ question: string; reason?: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ question, reason }) =>
      `The DNS lookup for ${question} failed${inBrackets(reason)}, so the SPF record could not be evaluated completely.`,
    cites: 'RFC 7208 section 4.4',
    fix: 'Try again. If it keeps failing, check the authoritative name servers for that name.',
    subject: 'question',
  }),
  'spf-addresses-unavailable': rule<{ question: string; reason?: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ question, reason }) =>
      `The DNS lookup for ${question} failed${inBrackets(reason)}, so the addresses that the SPF record authorizes are incomplete.`,
    cites: 'RFC 7208 section 4.4',
    fix: 'Try again. If it keeps failing, check the authoritative name servers for that name.',
    subject: 'question',
  }),
  'spf-expansion-cut': rule<{ limit: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ limit }) =>
      `The include tree exceeds this tool's limit (${limitNames[limit] ?? limit}); the result is incomplete.`,
    cites: LIMITS,
    fix: CUT_LOOKUPS,
    subject: 'limit',
  }),
} satisfies Rules;
