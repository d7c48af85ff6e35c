/** The rules of the DMARC check (RFC 9989, RFC 9990; RFC 7489 for receivers that still follow it). */
import { type Rules, rule } from './finding.ts';

const FORMAL = 'RFC 9989 section 4.8';
const TAGS = 'RFC 9989 section 4.7';
const DISCOVERY = 'RFC 9989 section 4.10.1';
const EXTERNAL = 'RFC 9990 section 4';

const listed = (items: readonly string[]) => items.join(', ');

type InTag = { readonly tag: string; readonly uris: readonly string[] };
type Listed = { readonly tags: readonly string[] };
type Value = { readonly tag: string; readonly value: string };

export const dmarcRules = {
  'dmarc-missing': rule<{ domain: string }>({
    severity: 'error',
    says: ({ domain }) => `No DMARC record applies to ${domain}.`,
    cites: 'RFC 9989 section 8',
    fix: 'Publish a TXT record at _dmarc below the domain, such as "v=DMARC1; p=none; rua=mailto:...", and raise the policy once reports show that legitimate mail passes.',
  }),
  'dmarc-multiple-records': rule<{ domain: string; count: number }>({
    severity: 'error',
    says: ({ domain, count }) => `_dmarc.${domain} holds ${count} DMARC records; receivers discard them all.`,
    cites: 'RFC 9989 section 4.10',
    fix: 'Keep exactly one DMARC record at this name.',
    subject: 'domain',
  }),
  'dmarc-unreadable-version': rule<{ domain: string; text: string }>({
    severity: 'error',
    says: ({ domain, text }) =>
      `The record at _dmarc.${domain} does not begin with "v=DMARC1;" and is ignored: ${text}`,
    cites: TAGS,
    fix: 'Begin the record with exactly "v=DMARC1;", in this case and without quotes.',
    subject: 'domain',
  }),
  'dmarc-leading-white-space': rule({
    severity: 'warning',
    says: () => 'The record begins with white space; strict receivers do not take it for a DMARC record.',
    cites: FORMAL,
    fix: 'Remove the white space before "v=DMARC1".',
  }),
  'dmarc-malformed-tags': rule<Listed>({
    severity: 'error',
    says: ({ tags }) => `The record holds what is not a tag, which receivers ignore: ${listed(tags)}.`,
    cites: FORMAL,
    fix: 'Write each tag as name=value in printable ASCII and separate tags with one semicolon.',
  }),
  'dmarc-empty-tags': rule({
    severity: 'warning',
    says: () => 'The record holds a semicolon with no tag before it.',
    cites: FORMAL,
    fix: 'Remove the surplus semicolon.',
  }),
  'dmarc-duplicate-tags': rule<Listed>({
    severity: 'error',
    says: ({ tags }) => `Tags occur more than once; receivers may discard the record: ${listed(tags)}.`,
    cites: 'RFC 6376 section 3.2',
    fix: 'Keep each tag once.',
  }),
  'dmarc-tag-name-case': rule<Listed>({
    severity: 'warning',
    says: ({ tags }) => `Tag names are case-sensitive and not in lower case: ${listed(tags)}.`,
    cites: 'RFC 6376 section 3.2',
    fix: 'Write tag names in lower case.',
  }),
  'dmarc-unknown-tags': rule<Listed>({
    severity: 'notice',
    says: ({ tags }) => `Receivers ignore tags that DMARC does not have: ${listed(tags)}.`,
    cites: TAGS,
    fix: 'Remove these tags, or correct their names.',
  }),
  'dmarc-invalid-value': rule<Value & { instead: string }>({
    severity: 'error',
    says: ({ tag, value, instead }) =>
      `"${value}" is not a value of the ${tag} tag; receivers ${instead === '' ? 'apply no DMARC because of it' : `act as if ${tag}=${instead} stood there`}.`,
    cites: FORMAL,
    fix: 'Give the tag one of its values, or remove it.',
    subject: 'tag',
  }),
  'dmarc-invalid-subdomain-policy': rule<Value>({
    severity: 'warning',
    says: ({ tag, value }) =>
      `"${value}" is not a policy, and because of this ${tag} tag receivers act as if p=none stood there.`,
    cites: DISCOVERY,
    fix: 'Set the tag to none, quarantine or reject, or remove it.',
    subject: 'tag',
  }),
  'dmarc-not-applied': rule({
    severity: 'error',
    says: () => 'The record states no valid policy and no address for reports; receivers apply no DMARC.',
    cites: DISCOVERY,
    fix: 'State a policy: p=none, p=quarantine or p=reject.',
  }),
  'dmarc-missing-policy': rule({
    severity: 'warning',
    says: () => 'The record has no p tag; receivers read it as p=none, and older ones ignore it.',
    cites: TAGS,
    fix: 'State the policy right after "v=DMARC1;".',
  }),
  'dmarc-policy-not-second': rule({
    severity: 'notice',
    says: () => 'The p tag does not stand right after the version, where receivers of RFC 7489 expect it.',
    cites: 'RFC 7489 section 6.3',
    fix: 'Move the p tag to the second place.',
  }),
  'dmarc-monitoring-only': rule<{ domain: string }>({
    severity: 'warning',
    says: ({ domain }) =>
      `The policy that applies to ${domain} is none: mail that fails is delivered as any other.`,
    cites: TAGS,
    fix: 'Once reports show that legitimate mail passes, move to quarantine and then to reject.',
  }),
  'dmarc-weaker-subdomain-policy': rule<{ tag: string; value: string; policy: string }>({
    severity: 'warning',
    says: ({ tag, value, policy }) =>
      `${tag}=${value} protects ${tag === 'np' ? 'non-existent subdomains' : 'subdomains'} less than p=${policy} protects the domain.`,
    cites: TAGS,
    fix: 'Raise the policy for subdomains to that of the domain, or remove the tag.',
    subject: 'tag',
  }),
  'dmarc-testing': rule({
    severity: 'warning',
    says: () => 't=y is set: receivers apply one step less than the policy.',
    cites: TAGS,
    fix: 'Remove t=y when the test is over.',
  }),
  'dmarc-partial': rule<{ percentage: number }>({
    severity: 'warning',
    says: ({ percentage }) =>
      `pct=${percentage} leaves part of the mail out with receivers of RFC 7489; others ignore the tag.`,
    cites: 'RFC 7489 section 6.3',
    fix: 'Remove the pct tag; to test a policy use t=y.',
  }),
  'dmarc-removed-tag': rule<{ tag: string }>({
    severity: 'notice',
    says: ({ tag }) => `The ${tag} tag was removed from DMARC; receivers ignore it.`,
    cites: 'RFC 9989 section 9.3',
    fix: 'Remove the tag.',
    subject: 'tag',
  }),
  'dmarc-invalid-removed-tag': rule<Value>({
    severity: 'warning',
    says: ({ tag, value }) =>
      `"${value}" is not a value of the ${tag} tag, which was removed from DMARC anyway.`,
    cites: 'RFC 9989 section 9.3',
    fix: 'Remove the tag.',
    subject: 'tag',
  }),
  'dmarc-fo-conflict': rule({
    severity: 'warning',
    says: () => 'fo asks for 0 and 1 at once, which exclude each other.',
    cites: TAGS,
    fix: 'Keep fo=1 for reports on any failure, or fo=0 for reports when everything fails.',
  }),
  'dmarc-fo-without-ruf': rule({
    severity: 'notice',
    says: () => 'The fo tag means nothing without ruf and is ignored.',
    cites: TAGS,
    fix: 'Remove the fo tag.',
  }),
  'dmarc-malformed-uri': rule<InTag>({
    severity: 'error',
    says: ({ tag, uris }) => `The ${tag} tag holds what is not a URI: ${listed(uris) || 'nothing'}.`,
    cites: FORMAL,
    fix: 'Write each address as mailto:user@domain and separate them with commas.',
    subject: 'tag',
  }),
  'dmarc-unsupported-uri': rule<InTag>({
    severity: 'warning',
    says: ({ tag, uris }) =>
      `Receivers send reports by mail and ignore other URIs in the ${tag} tag: ${listed(uris)}.`,
    cites: TAGS,
    fix: 'Use a mailto: URI.',
    subject: 'tag',
  }),
  'dmarc-uri-without-address': rule<InTag>({
    severity: 'warning',
    says: ({ tag, uris }) => `A mailto: URI in the ${tag} tag holds no mail address: ${listed(uris)}.`,
    cites: 'RFC 6068 section 2',
    fix: 'Write the address as mailto:user@domain.',
    subject: 'tag',
  }),
  'dmarc-uri-size': rule<InTag>({
    severity: 'notice',
    says: ({ tag, uris }) => `The size after "!" in the ${tag} tag is obsolete and ignored: ${listed(uris)}.`,
    cites: FORMAL,
    fix: 'Remove the exclamation mark and the size.',
    subject: 'tag',
  }),
  'dmarc-missing-rua': rule({
    severity: 'warning',
    says: () =>
      'The record asks for no aggregate reports, so nobody sees who sends in the name of the domain.',
    cites: 'RFC 9989 section 8',
    fix: 'Add a rua tag with the mailto: URI of a report mailbox.',
  }),
  'dmarc-wrong-mailbox': rule<InTag & { domain: string; mailbox: string }>({
    severity: 'warning',
    says: ({ domain, tag, uris, mailbox }) =>
      `Reports that the ${tag} tag has sent to ${listed(uris)} do not count for ${domain}: its own mailbox is ${mailbox}.`,
    cites: TAGS,
    fix: 'Name the mailbox of this domain, exactly as it is.',
    subject: 'tag',
  }),
  'dmarc-mailbox-not-named': rule<{ mailbox: string }>({
    severity: 'notice',
    says: ({ mailbox }) => `Aggregate reports do not come here: the rua tag does not name mailto:${mailbox}.`,
    cites: TAGS,
    fix: 'Add this address to the rua tag, with a comma before it where there are others.',
  }),
  'dmarc-inherited': rule<{ domain: string; policyDomain: string; tag: string }>({
    severity: 'notice',
    says: ({ domain, policyDomain, tag }) =>
      `${domain} has no DMARC record of its own; the ${tag} policy of ${policyDomain} applies.`,
    cites: DISCOVERY,
    fix: 'Nothing needs doing where the inherited policy fits; otherwise publish a record for the domain itself.',
  }),
  'dmarc-subdomain-policy-ignored': rule<{ organizationalDomain: string }>({
    severity: 'notice',
    says: ({ organizationalDomain }) =>
      `sp and np are ignored here: subdomains take their policy from ${organizationalDomain}.`,
    cites: TAGS,
    fix: 'Set the policy for subdomains in the record of the organizational domain.',
  }),
  'dmarc-claims-public-suffix': rule<{ domain: string }>({
    severity: 'warning',
    says: ({ domain }) =>
      `psd=y says that ${domain} is a public suffix, whose subdomains belong to others and do not align with it.`,
    cites: 'RFC 9989 section 4.10.2',
    fix: 'Remove psd=y unless subdomains are registered to other organizations; psd=n marks an organizational domain.',
  }),
  'dmarc-unauthorized-destination': rule<{ host: string; tags: readonly string[]; name: string }>({
    severity: 'warning',
    says: ({ host, tags, name }) =>
      `${host} (${listed(tags)}) does not say that it takes these reports; receivers send none there. Asked: ${name}`,
    cites: EXTERNAL,
    fix: 'Have the owner of the destination publish the TXT record "v=DMARC1" at the name asked, or use a mailbox of your own.',
    subject: 'host',
  }),
  'dmarc-foreign-override': rule<{ host: string; name: string }>({
    severity: 'warning',
    says: ({ host, name }) =>
      `The consent of ${host} at ${name} redirects reports to another host; receivers send none at all.`,
    cites: EXTERNAL,
    fix: 'Have the owner of the destination remove the rua tag from that record.',
    subject: 'host',
  }),
  'dmarc-destination-unknown': rule<{ host: string }>({
    severity: 'notice',
    says: ({ host }) => `Whether ${host} takes these reports could not be asked.`,
    cites: EXTERNAL,
    fix: 'Nothing needs doing; the question is asked again with the next check.',
    subject: 'host',
  }),
  'dmarc-many-destinations': rule<{ count: number; limit: number }>({
    severity: 'notice',
    says: ({ count, limit }) => `Reports go to ${count} hosts; only the first ${limit} were looked at.`,
    cites: 'RFC 7489 section 6.2',
    fix: 'Ask for reports at no more than two addresses; receivers may ignore the rest.',
  }),
  'dmarc-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    says: ({ name, reason }) => `The policy could not be determined: ${name} could not be asked (${reason}).`,
    cites: DISCOVERY,
    fix: 'Nothing needs doing unless it lasts; then look at the name servers of the domain.',
  }),
} satisfies Rules;
