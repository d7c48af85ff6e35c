/** DMARC policy discovery: which record applies to a domain, and the domain of that record (RFC 9989 section 4.10). */
import { type Dns, isNonExistent, whyFailed } from '../dns.ts';
import { isLookupName } from '../domain-name.ts';
import { dmarcRules } from '../findings/dmarc.ts';
import { excerpt } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import { corrected } from './lookalike.ts';
import { type DmarcRecord, dormantPolicies, type Policy, parseDmarcRecord, policies } from './record.ts';

export interface DiscoveredPolicy {
  readonly status: 'found';
  readonly record: DmarcRecord;
  /** The record as published. */
  readonly text: string;
  /** The domain of the record: the domain itself, its organizational domain or its public suffix domain. */
  readonly recordDomain: string;
  /** Null if a lookup of the tree walk failed, in which case the domain's own record still applies. */
  readonly organizationalDomain: string | null;
  /** The tag whose policy applies to the domain: `p` of its own record, `sp` or `np` of an inherited one. */
  readonly appliedTag: 'p' | 'sp' | 'np';
  /** The policy of that tag; null if the record is so invalid that receivers do not apply DMARC. */
  readonly policy: Policy | null;
  /** The policy that receivers apply: `policy`, or with `t=y` the next weaker policy. */
  readonly effectivePolicy: Policy | null;
  /** Records closer to the domain that were discarded because their name has several. */
  readonly discarded: readonly string[];
  readonly findings: readonly Finding[];
}

export type Discovery =
  | DiscoveredPolicy
  /** No record applies. `findings` name the records of the tree walk that were discarded. */
  | {
      readonly status: 'absent';
      readonly organizationalDomain: string;
      readonly discarded: readonly string[];
      readonly findings: readonly Finding[];
    }
  /** A lookup that decides failed. */
  | { readonly status: 'unavailable'; readonly name: string; readonly reason: string };

/** RFC 9989 section 4.10: names of eight or more labels continue with their last seven, so at most 8 queries. */
const MAX_LABELS_AFTER_START = 7;

const raise = raiser(dmarcRules);

/**
 * Finds the policy that applies to `domain` (canonical form). All names of the tree walk are known in advance, so they
 * are looked up concurrently, together with the existence of the domain, which decides between `sp` and `np`.
 */
export async function discoverPolicy(domain: string, dns: Dns): Promise<Discovery> {
  const existence = dns.lookup(domain, 'MX');
  const walk = await walkTree(domain, dns);
  const own = walk.found.find((entry) => entry.domain === domain);
  if (own !== undefined) {
    const home = walk.failure === undefined ? selectOrganizationalDomain(domain, walk.found) : null;
    const findings = walk.findings.filter(({ subject }) => subject === domain);
    return discovered(own, home, 'p', { findings, discarded: [] });
  }
  if (walk.failure !== undefined) return walk.failure;
  const organizationalDomain = selectOrganizationalDomain(domain, walk.found);
  const above = inheritedEntry(organizationalDomain, walk.found);
  if (above === undefined) {
    const { findings, discarded } = walk;
    return { status: 'absent', organizationalDomain, discarded, findings };
  }
  const { applied } = above.record;
  if (applied === null || applied.sp === applied.np) {
    return discovered(above, organizationalDomain, 'sp', walk);
  }
  const answer = await existence;
  if (answer.status === 'unavailable')
    return { status: 'unavailable', name: domain, reason: whyFailed(answer) };
  return discovered(above, organizationalDomain, isNonExistent(answer) ? 'np' : 'sp', walk);
}

/**
 * The organizational domain of any domain, as used for identifier alignment (RFC 9989 section 4.10.2); null if a lookup
 * of the tree walk failed.
 */
export async function walkToOrganizationalDomain(domain: string, dns: Dns): Promise<string | null> {
  const { found, failure } = await walkTree(domain, dns);
  return failure === undefined ? selectOrganizationalDomain(domain, found) : null;
}

/** The domains whose `_dmarc` names a tree walk looks up, longest first (RFC 9989 section 4.10). */
export function treeWalkDomains(domain: string): readonly string[] {
  const labels = domain.split('.');
  const rest = labels.slice(Math.max(1, labels.length - MAX_LABELS_AFTER_START));
  return [domain, ...rest.map((_, index) => rest.slice(index).join('.'))];
}

/** The next weaker policy, which receivers apply with `t=y` (RFC 9989 section 4.7). */
export function oneStepLess(policy: Policy): Policy {
  return policies[policies.indexOf(policy) - 1] ?? 'none';
}

interface Entry {
  readonly domain: string;
  readonly record: DmarcRecord;
  readonly text: string;
  readonly findings: readonly Finding[];
}

interface Walk {
  /** Longest name first; ends with a record that has `psd=y` or `psd=n`. */
  readonly found: readonly Entry[];
  /** Records of names that have several. */
  readonly discarded: readonly string[];
  /** Findings about the discarded records; the subject is the domain of the record. */
  readonly findings: readonly Finding[];
  /** The first failed lookup, before any `psd=y` or `psd=n`. */
  readonly failure?: Discovery & { readonly status: 'unavailable' };
}

async function walkTree(domain: string, dns: Dns): Promise<Walk> {
  const steps = treeWalkDomains(domain)
    .map((name) => ({ domain: name, queried: `_dmarc.${name}` }))
    .filter(({ queried }) => isLookupName(queried))
    .map((step) => ({ ...step, answer: dns.lookup(step.queried, 'TXT') }));
  const found: Entry[] = [];
  const discarded: string[] = [];
  const findings: Finding[] = [];
  for (const step of steps) {
    const answer = await step.answer;
    if (answer.status === 'unavailable') {
      const failure = { status: 'unavailable', name: step.queried, reason: whyFailed(answer) } as const;
      return { found, discarded, findings, failure };
    }
    const entries = readEntries(step.domain, answer.status === 'found' ? answer.records : [], findings);
    const [entry] = entries;
    if (entry === undefined) continue;
    if (entries.length > 1) {
      const dormant = dormantPolicies(entries.map(({ record }) => record));
      findings.push(
        raise('dmarc-multiple-records', { domain: step.domain, count: entries.length, ...dormant }),
      );
      discarded.push(...entries.map(({ text }) => text));
      continue;
    }
    found.push(entry);
    if (entry.record.psd !== 'u') break;
  }
  return { found, discarded, findings };
}

/** The DMARC records among the TXT records of a name; there must be only one (RFC 9989 section 4.10 steps 2 and 6). */
function readEntries(domain: string, texts: readonly string[], findings: Finding[]): readonly Entry[] {
  const entries: Entry[] = [];
  for (const text of texts) {
    const parsed = parseDmarcRecord(text);
    if (parsed.ok) entries.push({ domain, record: parsed.record, text, findings: parsed.findings });
    else if (parsed.resembles) {
      const meant = parseDmarcRecord(corrected(text));
      const dormant = meant.ok ? dormantPolicies([meant.record]) : {};
      findings.push(raise('dmarc-unreadable-version', { domain, text: excerpt(text), ...dormant }));
    }
  }
  return entries;
}

/** RFC 9989 section 4.10.2. */
function selectOrganizationalDomain(domain: string, found: readonly Entry[]): string {
  for (const { domain: name, record } of found) {
    if (record.psd === 'n') return name;
    if (record.psd === 'y' && name !== domain) return childOnPath(domain, name);
  }
  return found.at(-1)?.domain ?? domain;
}

/** The domain that is one label longer than `ancestor` on the path to `domain`. */
function childOnPath(domain: string, ancestor: string): string {
  return domain
    .split('.')
    .slice(-(ancestor.split('.').length + 1))
    .join('.');
}

/** The record of the organizational domain, or else of the public suffix domain (RFC 9989 section 4.10.1). */
function inheritedEntry(organizationalDomain: string, found: readonly Entry[]): Entry | undefined {
  return (
    found.find(({ domain }) => domain === organizationalDomain) ??
    found.find(({ record }) => record.psd === 'y')
  );
}

function discovered(
  entry: Entry,
  organizationalDomain: string | null,
  appliedTag: 'p' | 'sp' | 'np',
  { discarded, findings }: Pick<Walk, 'discarded' | 'findings'>,
): DiscoveredPolicy {
  const { record, text, domain } = entry;
  const policy = record.applied?.[appliedTag] ?? null;
  return {
    status: 'found',
    record,
    text,
    recordDomain: domain,
    organizationalDomain,
    appliedTag,
    policy,
    effectivePolicy: policy !== null && record.t === 'y' ? oneStepLess(policy) : policy,
    discarded,
    findings: [...findings, ...entry.findings],
  };
}
