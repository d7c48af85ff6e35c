/** The rules of the DMARC check (RFC 9989, RFC 9990, and RFC 7489 for receivers that still follow it). */
import { type Rules, rule } from './finding.ts';

const FORMAL = 'RFC 9989 section 4.8';
const TAGS = 'RFC 9989 section 4.7';
const DISCOVERY = 'RFC 9989 section 4.10.1';
const EXTERNAL = 'RFC 9990 section 4';

/** RFC 9989 section 7.4 asks for at least a month of reports at each step. */
export const READ_REPORTS =
  'Read your DMARC reports for at least a month first. If they show that all your legitimate mail passes,';

/** What a correction would bring into effect, such as `p=reject; sp=none`. Missing if the record states no valid policy. */
type Dormant = { readonly policies?: string };

/** For records that receivers do not apply as they are written: a correction must not enforce a policy by itself. */
const noneFirst = ({ policies }: Dormant): string =>
  `${policies ?? 'The policy of the record'} would then come into effect, so publish p=none without sp and np at first. ${READ_REPORTS} you can publish a stronger policy.`;

const ADD_NONE =
  'Add the tag p=none directly after "v=DMARC1;". Leave out sp and np at first: they would come into effect with it.';

/** Some receivers already apply a record with such a fault. */
const OTHERS_FOLLOW = 'Receivers that ignore the record because of this then apply its policy.';

const ofFailingMail = (percentage: number): string =>
  percentage === 0 ? 'none of the failing mail' : `only ${percentage} % of failing mail`;

const listed = (items: readonly string[]) => items.join(', ');

type InTag = { readonly tag: string; readonly uris: readonly string[] };
type Listed = { readonly tags: readonly string[] };
type Value = { readonly tag: string; readonly value: string };

export const dmarcRules = {
  'dmarc-missing': rule<{ domain: string }>({
    severity: 'warning',
    state: 'absent',
    says: ({ domain }) =>
      `No DMARC record applies to ${domain}, so receivers have no policy for mail that fails authentication.`,
    cites: 'RFC 9989 section 8',
    fix: ({ domain }, { mailbox }) =>
      mailbox === undefined
        ? `Publish the TXT record "v=DMARC1; p=none" at _dmarc.${domain}. To get reports, add a rua tag with mailto: and the address of your mailbox. If the domain sends no mail, publish p=reject instead of p=none.`
        : `Publish the TXT record "v=DMARC1; p=none; rua=mailto:${mailbox}" at _dmarc.${domain}. If the domain sends no mail, publish "v=DMARC1; p=reject; rua=mailto:${mailbox}".`,
  }),
  'dmarc-multiple-records': rule<Dormant & { domain: string; count: number }>({
    severity: 'error',
    says: ({ domain, count }) =>
      `_dmarc.${domain} has ${count} DMARC records; receivers discard all of them.`,
    cites: 'RFC 9989 section 4.10',
    fix: ({ domain, policies }) =>
      `Keep exactly one DMARC record at _dmarc.${domain}. ${noneFirst({ policies })}`,
    subject: 'domain',
  }),
  'dmarc-unreadable-version': rule<Dormant & { domain: string; text: string }>({
    severity: 'error',
    says: ({ domain, text }) =>
      `The record at _dmarc.${domain} does not start with "v=DMARC1;", so receivers ignore it: ${text}`,
    cites: TAGS,
    fix: (dormant) =>
      `Start the record with exactly "v=DMARC1;", with DMARC1 in uppercase and without quotes. ${noneFirst(dormant)}`,
    subject: 'domain',
  }),
  'dmarc-leading-white-space': rule({
    severity: 'warning',
    says: () => 'The DMARC record starts with whitespace, so strict receivers do not recognize it.',
    cites: FORMAL,
    fix: `Remove the whitespace before "v=DMARC1". ${OTHERS_FOLLOW}`,
  }),
  'dmarc-malformed-tags': rule<Listed>({
    severity: 'error',
    says: ({ tags }) => `The DMARC record contains invalid tags, which receivers ignore: ${listed(tags)}.`,
    cites: FORMAL,
    fix: 'Write each tag as name=value in printable ASCII, and separate tags with one semicolon.',
  }),
  'dmarc-empty-tags': rule({
    severity: 'warning',
    says: () => 'The DMARC record contains an empty tag: a semicolon with no tag before it.',
    cites: FORMAL,
    fix: 'Remove the extra semicolon.',
  }),
  'dmarc-duplicate-tags': rule<Listed>({
    severity: 'error',
    says: ({ tags }) =>
      `The DMARC record contains duplicate tags, so receivers may discard it: ${listed(tags)}.`,
    cites: 'RFC 6376 section 3.2',
    fix: `Keep only one of each tag, and write several report addresses into one tag, separated by commas. ${OTHERS_FOLLOW}`,
  }),
  'dmarc-tag-name-case': rule<Listed>({
    severity: 'warning',
    says: ({ tags }) => `Tag names are case-sensitive, but these are not in lowercase: ${listed(tags)}.`,
    cites: 'RFC 6376 section 3.2',
    fix: `Write tag names in lowercase. ${OTHERS_FOLLOW}`,
  }),
  'dmarc-unknown-tags': rule<Listed>({
    severity: 'notice',
    says: ({ tags }) => `The DMARC record contains unknown tags, which receivers ignore: ${listed(tags)}.`,
    cites: TAGS,
    fix: 'Remove these tags, or correct their names.',
  }),
  'dmarc-invalid-value': rule<Dormant & Value & { instead: string }>({
    severity: 'error',
    says: ({ tag, value, instead }) =>
      `"${value}" is not a valid value for the ${tag} tag; receivers treat it as ${tag}=${instead}.`,
    cites: FORMAL,
    fix: ({ tag, instead, policies }) =>
      tag === 'p'
        ? `Correct the tag. ${noneFirst({ policies })}`
        : `Set ${tag}=${instead}, which receivers apply now, or remove the tag.`,
    subject: 'tag',
  }),
  'dmarc-invalid-subdomain-policy': rule<Dormant & Value>({
    severity: 'warning',
    says: ({ tag, value }) =>
      `"${value}" is not a valid policy for the ${tag} tag; because of it, receivers treat the whole record as p=none.`,
    cites: DISCOVERY,
    fix: (dormant) => `Correct the tag. ${noneFirst(dormant)}`,
    subject: 'tag',
  }),
  'dmarc-void-record': rule<Dormant & Value>({
    severity: 'error',
    says: ({ tag, value }) =>
      `The ${tag} tag makes the whole record void: "${value}" is not a valid policy, and without a valid rua URI, receivers then do not apply DMARC.`,
    cites: DISCOVERY,
    fix: (dormant) => `Correct the tag. ${noneFirst(dormant)}`,
    subject: 'tag',
  }),
  'dmarc-not-applied': rule({
    severity: 'error',
    says: () => 'The DMARC record has no p tag and no valid rua URI, so receivers do not apply DMARC.',
    cites: DISCOVERY,
    fix: ADD_NONE,
  }),
  'dmarc-missing-policy': rule({
    severity: 'warning',
    says: () =>
      'The DMARC record has no p tag. Because it has a valid rua URI, receivers treat it as p=none, including those that follow RFC 7489 (section 6.6.3).',
    cites: DISCOVERY,
    fix: ADD_NONE,
  }),
  'dmarc-policy-not-second': rule({
    severity: 'notice',
    says: () => 'The p tag is not directly after the v tag, where RFC 7489 receivers expect it.',
    cites: 'RFC 7489 section 6.3',
    fix: 'Move the p tag to the second position.',
  }),
  'dmarc-monitoring-only': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) =>
      `The DMARC policy for ${domain} is none (monitoring only): failing messages are still delivered.`,
    cites: TAGS,
    fix: `${READ_REPORTS} you can change the policy to quarantine, and after as long a time to reject.`,
  }),
  'dmarc-weaker-subdomain-policy': rule<{ tag: string; value: string; policy: string }>({
    severity: 'warning',
    says: ({ tag, value, policy }) =>
      `${tag}=${value} protects ${tag === 'np' ? 'non-existent subdomains' : 'subdomains'} less than p=${policy} protects the domain.`,
    cites: TAGS,
    fix: ({ tag, policy }) => `${READ_REPORTS} also from subdomains, you can set ${tag}=${policy}.`,
    subject: 'tag',
  }),
  'dmarc-testing': rule<{ percentage?: number }>({
    severity: 'notice',
    says: ({ percentage }) =>
      `t=y (test mode) is set: RFC 9989 receivers apply the next weaker policy; RFC 7489 receivers ignore the tag and apply the policy ${percentage === undefined ? 'itself' : `to ${ofFailingMail(percentage)} (pct=${percentage})`}.`,
    cites: TAGS,
    fix: ({ percentage }) =>
      percentage === undefined
        ? `To test with RFC 7489 receivers as well, also set pct=0. ${READ_REPORTS} you can remove t=y and pct.`
        : `${READ_REPORTS} you can remove t=y and pct.`,
  }),
  'dmarc-partial': rule<{ percentage: number }>({
    severity: 'warning',
    says: ({ percentage }) =>
      `With pct=${percentage}, RFC 7489 receivers apply the policy to ${ofFailingMail(percentage)}; RFC 9989 receivers ignore the tag and apply the policy to all of it.`,
    cites: 'RFC 7489 section 6.3',
    fix: `To go on testing, keep pct and add t=y: RFC 9989 receivers ignore pct, and RFC 7489 receivers ignore t. ${READ_REPORTS} you can remove both tags.`,
  }),
  'dmarc-removed-tag': rule<{ tag: string }>({
    severity: 'notice',
    says: ({ tag }) => `RFC 9989 removed the ${tag} tag from DMARC; receivers ignore it.`,
    cites: 'RFC 9989 section 9.3',
    fix: 'Remove the tag.',
    subject: 'tag',
  }),
  'dmarc-invalid-removed-tag': rule<Value>({
    severity: 'warning',
    says: ({ tag, value }) =>
      `"${value}" is not a valid value for the ${tag} tag, which RFC 9989 removed from DMARC.`,
    cites: 'RFC 9989 section 9.3',
    fix: 'Remove the tag.',
    subject: 'tag',
  }),
  'dmarc-fo-conflict': rule({
    severity: 'warning',
    says: () => 'The fo tag contains both 0 and 1, which are mutually exclusive.',
    cites: TAGS,
    fix: 'Set fo=1 to get failure reports when any authentication method fails, or fo=0 to get them only when all methods fail.',
  }),
  'dmarc-fo-without-ruf': rule({
    severity: 'notice',
    says: () => 'The fo tag has no effect without the ruf tag.',
    cites: TAGS,
    fix: 'Remove the fo tag.',
  }),
  'dmarc-malformed-uri': rule<InTag>({
    severity: 'error',
    says: ({ tag, uris }) => `The ${tag} tag contains invalid URIs: ${listed(uris) || '(empty)'}.`,
    cites: FORMAL,
    fix: ({ tag }) =>
      `Write each address in the ${tag} tag as mailto:, followed by an email address, and separate addresses with commas.`,
    subject: 'tag',
  }),
  'dmarc-unsupported-uri': rule<InTag>({
    severity: 'warning',
    says: ({ tag, uris }) =>
      `The ${tag} tag contains URIs that receivers ignore, because they send reports only by mail: ${listed(uris)}.`,
    cites: TAGS,
    fix: 'Use a mailto: URI.',
    subject: 'tag',
  }),
  'dmarc-uri-without-address': rule<InTag>({
    severity: 'warning',
    says: ({ tag, uris }) =>
      `The ${tag} tag contains mailto: URIs without an email address: ${listed(uris)}.`,
    cites: 'RFC 6068 section 2',
    fix: ({ tag }) => `Write each address in the ${tag} tag as mailto:, followed by an email address.`,
    subject: 'tag',
  }),
  'dmarc-uri-size': rule<InTag>({
    severity: 'notice',
    says: ({ tag, uris }) =>
      `The size limit after "!" in the ${tag} tag is obsolete and ignored: ${listed(uris)}.`,
    cites: FORMAL,
    fix: 'Remove the exclamation mark and the size limit.',
    subject: 'tag',
  }),
  'dmarc-missing-rua': rule<{ record?: string }>({
    severity: 'warning',
    says: () =>
      'The DMARC record has no rua tag, so you get no aggregate reports showing who sends as this domain.',
    cites: 'RFC 9989 section 8',
    fix: ({ record }, { domain, mailbox }) => {
      if (mailbox === undefined)
        return 'Add a rua tag with mailto: and the address of a mailbox for reports.';
      return record === undefined
        ? `Add the tag rua=mailto:${mailbox}, separated from the other tags by semicolons.`
        : `Replace the TXT record at _dmarc.${domain} with "${record}; rua=mailto:${mailbox}".`;
    },
  }),
  'dmarc-wrong-mailbox': rule<InTag & { domain: string; mailbox: string }>({
    severity: 'warning',
    says: ({ domain, tag, uris, mailbox }) =>
      `Reports sent to ${listed(uris)} (${tag} tag) do not count for ${domain}, whose report mailbox is ${mailbox}.`,
    cites: TAGS,
    fix: ({ tag, uris, mailbox }) =>
      `Remove ${listed(uris)} from the ${tag} tag, and add mailto:${mailbox} unless it is there already.`,
    subject: 'tag',
  }),
  'dmarc-mailbox-not-named': rule<{ mailbox: string }>({
    severity: 'notice',
    says: ({ mailbox }) =>
      `Aggregate reports are not sent to this service: the rua tag does not include mailto:${mailbox}.`,
    cites: TAGS,
    fix: ({ mailbox }) =>
      `Add mailto:${mailbox} to the rua tag, separated from other URIs by a comma. No action needed if the service fetches the reports from a mailbox that the tag names.`,
  }),
  'dmarc-inherited': rule<{ domain: string; policyDomain: string; tag: string }>({
    severity: 'notice',
    says: ({ domain, policyDomain, tag }) =>
      `${domain} has no DMARC record of its own; the ${tag} policy of ${policyDomain} applies.`,
    cites: DISCOVERY,
    fix: 'No action needed if the inherited policy suits this domain. Otherwise, publish a DMARC record for the domain itself.',
  }),
  'dmarc-subdomain-policy-ignored': rule<{ organizationalDomain: string }>({
    severity: 'notice',
    says: ({ organizationalDomain }) =>
      `The sp and np tags have no effect here: subdomains get their policy from ${organizationalDomain}.`,
    cites: TAGS,
    fix: ({ organizationalDomain }) =>
      `Set the subdomain policy in the record at _dmarc.${organizationalDomain}.`,
  }),
  'dmarc-claims-public-suffix': rule<{ domain: string }>({
    severity: 'warning',
    says: ({ domain }) =>
      `psd=y declares ${domain} a public suffix: its subdomains belong to other organizations and do not align with it.`,
    cites: 'RFC 9989 section 4.10.2',
    fix: 'Remove psd=y unless other organizations register the subdomains. To mark an organizational domain, use psd=n.',
  }),
  'dmarc-unauthorized-destination': rule<{ host: string; tags: readonly string[]; name: string }>({
    severity: 'warning',
    says: ({ host, tags, name }) =>
      `${host} (${listed(tags)}) has not authorized reports for this domain: there is no "v=DMARC1" TXT record at ${name}. Receivers will not send reports to it.`,
    cites: EXTERNAL,
    fix: ({ host, name }) =>
      `Ask the owner of ${host} to publish the TXT record "v=DMARC1" at ${name}, or use a mailbox of your own.`,
    subject: 'host',
  }),
  'dmarc-foreign-override': rule<{ host: string; name: string }>({
    severity: 'warning',
    says: ({ host, name }) =>
      `The authorization record of ${host} at ${name} redirects reports to a different host, so receivers send no reports at all.`,
    cites: EXTERNAL,
    fix: ({ host, name }) => `Ask the owner of ${host} to remove the rua tag from the record at ${name}.`,
    subject: 'host',
  }),
  'dmarc-destination-unknown': rule<{ host: string }>({
    severity: 'notice',
    failedLookup: 'part',
    says: ({ host }) =>
      `It is unknown whether ${host} has authorized these reports, because a DNS lookup failed.`,
    cites: EXTERNAL,
    fix: 'No action needed; the next check tries again.',
    subject: 'host',
  }),
  'dmarc-many-destinations': rule<{ count: number; limit: number }>({
    severity: 'notice',
    says: ({ count, limit }) => `Reports go to ${count} hosts; only the first ${limit} were checked.`,
    cites: 'RFC 7489 section 6.2',
    fix: 'Use at most two report addresses; receivers may ignore the rest.',
  }),
  'dmarc-unavailable': rule<{ name: string; reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ name, reason }) =>
      `The DMARC policy could not be determined, because the DNS lookup for ${name} failed (${reason}).`,
    cites: DISCOVERY,
    fix: "No action needed unless it keeps failing. In that case, check the domain's authoritative name servers.",
  }),
} satisfies Rules;
