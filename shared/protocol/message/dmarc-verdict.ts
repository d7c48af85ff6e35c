/** DMARC for a message: whether an authenticated identifier aligns with its author (RFC 9989 sections 4.4 and 5). */
import { type Alignment, alignmentOf } from '../dmarc/alignment.ts';
import { type Discovery, oneStepLess, walkToOrganizationalDomain } from '../dmarc/discover.ts';
import type { AlignmentMode, Policy } from '../dmarc/record.ts';
import type { Dns } from '../dns.ts';
import { organizationalDomain, parseLookupName } from '../domain-name.ts';
import type { Author } from './author.ts';

export type DmarcReason =
  | 'no-from'
  | 'no-author-domain'
  | 'several-from'
  | 'several-authors'
  | 'no-record'
  | 'broken-record'
  | 'not-aligned'
  | 'dns'
  | 'limit';

export interface DmarcVerdict {
  /** `none`: no record applies. `permerror`: there is no author, or the record is invalid. */
  readonly result: 'pass' | 'fail' | 'none' | 'temperror' | 'permerror';
  /** The policy of the record for failing mail from this author; with `t=y` or `pct=0` the next weaker policy. */
  readonly policy: Policy | null;
  /** The Author Domain; null if there is none. */
  readonly domain: string | null;
  /** The domain of the record, and the record. */
  readonly recordDomain: string | null;
  readonly record: string | null;
  /** The alignment modes; null without a record. */
  readonly modes: { readonly spf: AlignmentMode; readonly dkim: AlignmentMode } | null;
  /** Whether an aligned identifier of each kind passed. */
  readonly spfAligned: boolean;
  readonly dkimAligned: boolean;
  /** Why the result is not `pass`; null for `pass`. */
  readonly reason: DmarcReason | null;
}

/** The result of SPF or of a signature for a domain; `aligned` is null if unknown. */
export interface Identifier {
  readonly result: string;
  readonly aligned: boolean | null;
}

const MAX_RECORD = 2000;

/**
 * Returns a function that tests whether an identifier aligns with the author; its result is null if a lookup that
 * decides failed. Each organizational domain is looked up once.
 */
export function aligner(author: string | null, discovery: Discovery | null, dns: Dns) {
  const known = new Map<string, Promise<string | null>>();
  const organizationOf = (domain: string) => {
    const organization = known.get(domain) ?? walkToOrganizationalDomain(domain, dns);
    known.set(domain, organization);
    return organization;
  };
  const compare = async (identifier: string, mode: AlignmentMode): Promise<Alignment> => {
    const parsed = parseLookupName(identifier);
    if (author === null || discovery === null || !parsed.ok) return 'not-aligned';
    const domain = parsed.name;
    if (domain === author) return 'aligned';
    if (discovery.status === 'unavailable') return 'unknown';
    if (mode === 's') return 'not-aligned';
    const alignment = alignmentOf(
      { domain, organizationalDomain: await organizationOf(domain) },
      { domain: author, organizationalDomain: discovery.organizationalDomain },
      mode,
    );
    return alignment !== 'aligned' && sameByPublicSuffix(domain, author, discovery) ? 'aligned' : alignment;
  };
  return async (identifier: string, mode: AlignmentMode): Promise<boolean | null> => {
    const alignment = await compare(identifier, mode);
    return alignment === 'unknown' ? null : alignment === 'aligned';
  };
}

/**
 * Compares the organizational domains of RFC 7489 section 3.2, which most receivers still use for alignment. They
 * differ from those of RFC 9989 only if an organization has records below its organizational domain but none at it. A
 * record with a `psd` tag rules this comparison out.
 */
function sameByPublicSuffix(domain: string, author: string, discovery: Discovery): boolean {
  if (discovery.status === 'found' && discovery.record.psd !== 'u') return false;
  return organizationalDomain(domain) === organizationalDomain(author);
}

/** The verdict for a message from `author`, whose policy is `discovery` (null: there was no domain to look up). */
export function judge(
  author: Author,
  discovery: Discovery | null,
  spf: Identifier,
  signatures: readonly Identifier[],
): DmarcVerdict {
  const passes = ({ result, aligned }: Identifier) => result === 'pass' && aligned === true;
  const spfAligned = passes(spf);
  const dkimAligned = signatures.some(passes);
  const found = discovery?.status === 'found' ? discovery : null;
  const verdict = (result: DmarcVerdict['result'], reason: DmarcReason | null): DmarcVerdict => ({
    result,
    policy: found === null ? null : appliedPolicy(found),
    domain: author.status === 'missing' ? null : author.domain,
    recordDomain: found?.recordDomain ?? null,
    record: found?.text.slice(0, MAX_RECORD) ?? null,
    modes: found === null ? null : { spf: found.record.aspf, dkim: found.record.adkim },
    spfAligned,
    dkimAligned,
    reason,
  });
  if (author.status === 'missing') return verdict('permerror', author.reason);
  if (author.status === 'ambiguous') return verdict('fail', author.reason);
  if (discovery?.status === 'unavailable') return verdict('temperror', 'dns');
  if (found === null) return verdict('none', 'no-record');
  if (found.policy === null) return verdict('permerror', 'broken-record');
  if (spfAligned || dkimAligned) return verdict('pass', null);
  const open = openBecause([spf, ...signatures]);
  return open === null ? verdict('fail', 'not-aligned') : verdict('temperror', open);
}

/** Why it is unknown whether an identifier passes: a DNS lookup failed, or a signature was beyond our limits. */
function openBecause(identifiers: readonly Identifier[]): 'dns' | 'limit' | null {
  const isOpen = ({ result, aligned }: Identifier) =>
    result === 'temperror' ? aligned !== false : result === 'pass' && aligned === null;
  if (identifiers.some(isOpen)) return 'dns';
  const unseen = identifiers.some(({ result, aligned }) => result === 'not-checked' && aligned !== false);
  return unseen ? 'limit' : null;
}

/** Before `t=y` existed, `pct=0` requested the next weaker policy (RFC 7489 section 6.6.4). */
function appliedPolicy({ effectivePolicy, policy, record }: Discovery & { status: 'found' }): Policy | null {
  return policy !== null && record.pct === 0 && record.t !== 'y' ? oneStepLess(policy) : effectivePolicy;
}
