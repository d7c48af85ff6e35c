/** What a receiver makes of a message: SPF for its envelope, DKIM for its signatures, DMARC for its author. */

import { type Alignment, alignmentOf } from '../protocol/dmarc/alignment.ts';
import {
  type Discovery,
  discoverPolicy,
  oneStepLess,
  walkToOrganizationalDomain,
} from '../protocol/dmarc/discover.ts';
import type { AlignmentMode, Policy } from '../protocol/dmarc/record.ts';
import type { Dns } from '../protocol/dns.ts';
import { organizationalDomain, parseLookupName } from '../protocol/domain-name.ts';
import { evaluate, type SpfProblem, type SpfResultName } from '../protocol/spf/evaluate.ts';
import { type Author, readAuthor } from './author.ts';
import { type Signature, verifySignatures } from './dkim.ts';
import { type HeaderSection, readHeaderSection } from './header-section.ts';

/** How the message came in; null where that is not known. */
export interface Envelope {
  /** The address of the SMTP client. */
  readonly ip: string | null;
  readonly helo: string | null;
  /** The reverse-path without brackets; empty for bounces. */
  readonly mailFrom: string;
}

export interface SpfVerdict {
  /** `none` too where the client's address is not known. */
  readonly result: SpfResultName;
  /** The domain whose record was asked for: of MAIL FROM, of HELO for bounces. */
  readonly domain: string;
  readonly ip: string | null;
  readonly helo: string | null;
  readonly mailFrom: string;
  /** The term that decided, such as `-all`, and at whose record. */
  readonly matched: { readonly domain: string; readonly term: string } | null;
  readonly problem: SpfProblem | null;
  /** What the domain says to a client that fails. */
  readonly explanation: string | null;
  readonly lookups: number;
  /** Whether the domain is the author's, by the mode that the author's policy asks for; null where nobody can tell. */
  readonly aligned: boolean | null;
}

export interface AlignedSignature extends Signature {
  readonly aligned: boolean | null;
}

export interface DkimVerdict {
  /** Whether at least one signature passes. */
  readonly valid: boolean;
  readonly signatures: readonly AlignedSignature[];
  /** Signatures beyond those listed. */
  readonly more: number;
}

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
  /** `none`: no record applies. `permerror`: there is no author, or the record is broken. */
  readonly result: 'pass' | 'fail' | 'none' | 'temperror' | 'permerror';
  /** What the record asks receivers to do with mail of this author that fails; with `t=y` or `pct=0` one step less. */
  readonly policy: Policy | null;
  /** The Author Domain; null where there is none. */
  readonly domain: string | null;
  /** Where the record stands, and the record. */
  readonly recordDomain: string | null;
  readonly record: string | null;
  /** How strictly identifiers are compared; null without a record. */
  readonly modes: { readonly spf: AlignmentMode; readonly dkim: AlignmentMode } | null;
  /** Whether an aligned identifier passed, of each kind. */
  readonly spfAligned: boolean;
  readonly dkimAligned: boolean;
  /** Why it is no pass; null for a pass. */
  readonly reason: DmarcReason | null;
}

export interface Authentication {
  readonly spf: SpfVerdict;
  readonly dkim: DkimVerdict;
  readonly dmarc: DmarcVerdict;
}

const MAX_RECORD = 2000;

/**
 * Evaluates a message as of `now`. Never throws; takes seconds at most for the largest and worst messages, and as
 * long as the Dns takes.
 */
export async function authenticate(
  message: Uint8Array,
  envelope: Envelope,
  dns: Dns,
  now: Date,
  section: HeaderSection = readHeaderSection(message),
): Promise<Authentication> {
  const author = readAuthor(section);
  const domain = author.status === 'missing' ? null : author.domain;
  const [spf, { signatures, more }, discovery] = await Promise.all([
    evaluateSpf(envelope, dns, now),
    verifySignatures(message, section, dns, now),
    domain === null ? null : discoverPolicy(domain, dns),
  ]);
  const align = aligner(domain, discovery, dns);
  const record = discovery?.status === 'found' ? discovery.record : null;
  const [spfAlignment, ...alignments] = await Promise.all([
    align(spf.domain, record?.aspf ?? 'r'),
    ...signatures.map((signature) => align(signature.domain, record?.adkim ?? 'r')),
  ]);
  const aligned = signatures.map((signature, index) => ({
    ...signature,
    aligned: known(alignments[index]),
  }));
  const dkim = { valid: signatures.some(({ verdict }) => verdict === 'pass'), signatures: aligned, more };
  const placed = { ...spf, aligned: known(spfAlignment) };
  return { spf: placed, dkim, dmarc: judge(author, discovery, placed, dkim) };
}

async function evaluateSpf({ ip, helo, mailFrom }: Envelope, dns: Dns, now: Date) {
  const name = helo ?? '';
  const at = mailFrom.lastIndexOf('@');
  const { matched, problem, explanation, ...evaluation } =
    ip === null
      ? {
          result: 'none' as const,
          domain: (mailFrom === '' ? name : mailFrom.slice(at + 1)).toLowerCase(),
          lookups: 0,
          matched: undefined,
          problem: undefined,
          explanation: undefined,
        }
      : await evaluate({ ip, mailFrom, helo: name, now }, dns);
  return {
    result: evaluation.result,
    domain: evaluation.domain,
    ip,
    helo,
    mailFrom,
    matched: matched ?? null,
    problem: problem ?? null,
    explanation: explanation ?? null,
    lookups: evaluation.lookups,
  };
}

/** Compares identifiers with the author, each organizational domain looked up once. */
function aligner(author: string | null, discovery: Discovery | null, dns: Dns) {
  const known = new Map<string, Promise<string | null>>();
  const ownOrganization =
    discovery === null || discovery.status === 'unavailable' ? null : discovery.organizationalDomain;
  const organizationOf = (domain: string) => {
    const organization = known.get(domain) ?? walkToOrganizationalDomain(domain, dns);
    known.set(domain, organization);
    return organization;
  };
  return async (identifier: string, mode: AlignmentMode): Promise<Alignment> => {
    const parsed = parseLookupName(identifier);
    if (author === null || !parsed.ok) return 'not-aligned';
    const domain = parsed.name;
    if (domain === author) return 'aligned';
    if (mode === 's') return 'not-aligned';
    const alignment = alignmentOf(
      { domain, organizationalDomain: await organizationOf(domain) },
      { domain: author, organizationalDomain: ownOrganization },
      mode,
    );
    return alignment !== 'aligned' && sameByPublicSuffix(domain, author, discovery) ? 'aligned' : alignment;
  };
}

/**
 * The organizational domain of RFC 7489 section 3.2, by which most receivers still align. It differs only where an
 * organization has records below its organizational domain and none at it; who says `psd` rules it out.
 */
function sameByPublicSuffix(domain: string, author: string, discovery: Discovery | null): boolean {
  if (discovery?.status === 'found' && discovery.record.psd !== 'u') return false;
  return organizationalDomain(domain) === organizationalDomain(author);
}

function known(alignment: Alignment | undefined): boolean | null {
  return alignment === undefined || alignment === 'unknown' ? null : alignment === 'aligned';
}

function judge(
  author: Author,
  discovery: Discovery | null,
  spf: SpfVerdict,
  dkim: DkimVerdict,
): DmarcVerdict {
  const spfAligned = spf.result === 'pass' && spf.aligned === true;
  const dkimAligned = dkim.signatures.some(({ verdict, aligned }) => verdict === 'pass' && aligned === true);
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
  const open = openBecause(spf, dkim);
  return open === null ? verdict('fail', 'not-aligned') : verdict('temperror', open);
}

/** Why an identifier might pass, for all we know: the DNS did not answer, or a signature was beyond our limits. */
function openBecause(spf: SpfVerdict, { signatures }: DkimVerdict): 'dns' | 'limit' | null {
  const identifiers = [{ verdict: spf.result, aligned: spf.aligned }, ...signatures];
  const isOpen = ({ verdict, aligned }: (typeof identifiers)[number]) =>
    verdict === 'temperror' ? aligned !== false : verdict === 'pass' && aligned === null;
  if (identifiers.some(isOpen)) return 'dns';
  const unseen = signatures.some(({ verdict, aligned }) => verdict === 'not-checked' && aligned !== false);
  return unseen ? 'limit' : null;
}

/** `pct=0` was how one asked for one step less before there was `t=y` (RFC 7489 section 6.6.4). */
function appliedPolicy({ effectivePolicy, policy, record }: Discovery & { status: 'found' }): Policy | null {
  return policy !== null && record.pct === 0 && record.t !== 'y' ? oneStepLess(policy) : effectivePolicy;
}
