/** DMARC Policy Records (RFC 9989 sections 4.7 and 4.8, and the tags of RFC 7489 section 6.3 that RFC 9989 removed). */
import { dmarcRules } from '../findings/dmarc.ts';
import { excerpt, excerpts } from '../findings/excerpt.ts';
import { type Finding, raiser } from '../findings/finding.ts';
import { parseTagList, type Tag } from '../tag-list.ts';
import { parseReportUris, type ReportUri } from './report-uri.ts';

/** The policies for mail that fails, from the weakest to the strongest. */
export const policies = ['none', 'quarantine', 'reject'] as const;
export type Policy = (typeof policies)[number];

/** `r`: relaxed, `s`: strict. */
export type AlignmentMode = 'r' | 's';

/** Fields are named after their tags. A missing or malformed tag has its default value. */
export interface DmarcRecord {
  /** Every tag that could be parsed, as published. */
  readonly tags: readonly Tag[];
  readonly p: Policy | null;
  readonly sp: Policy | null;
  readonly np: Policy | null;
  readonly adkim: AlignmentMode;
  readonly aspf: AlignmentMode;
  readonly fo: readonly string[];
  readonly rua: readonly ReportUri[];
  readonly ruf: readonly ReportUri[];
  readonly t: 'y' | 'n';
  readonly psd: 'y' | 'n' | 'u';
  /** The percentage of mail that the policy applies to in RFC 7489. RFC 9989 receivers ignore it. */
  readonly pct: number;
  /**
   * The policies that receivers derive from the record for the domain itself, for existing subdomains and for
   * non-existent subdomains, without regard to `t` (RFC 9989 section 4.10.1). Null: they do not apply DMARC.
   */
  readonly applied: { readonly p: Policy; readonly sp: Policy; readonly np: Policy } | null;
}

type ParsedDmarcRecord =
  | { readonly ok: true; readonly record: DmarcRecord; readonly findings: readonly Finding[] }
  /** Not a DMARC record for receivers. `resembles`: it was probably meant to be one. */
  | { readonly ok: false; readonly resembles: boolean };

const raise = raiser(dmarcRules);

/** The maximum number of characters of a record that a finding repeats. */
const MAX_PROPOSED = 400;

const FAILURE_OPTIONS = ['0', '1', 'd', 's'] as const;
const ACTIVE_TAGS = ['v', 'p', 'sp', 'np', 'adkim', 'aspf', 'fo', 'rua', 'ruf', 't', 'psd'];

/** RFC 9989 section 9.3: historic tags, with the values that RFC 7489 section 6.4 allowed. */
const removedTags = {
  pct: (value: string) => /^\d{1,3}$/.test(value) && Number(value) <= 100,
  rf: (value: string) => /^[a-z0-9-]+([ \t]*:[ \t]*[a-z0-9-]+)*$/i.test(value),
  ri: (value: string) => /^\d{1,10}$/.test(value) && Number(value) < 2 ** 32,
};

/** Whether receivers take a TXT record for a DMARC Policy Record, valid or not (RFC 9989 section 4.7). */
export const isDmarcRecord = (text: string): boolean =>
  /^[ \t\r\n]*[vV][ \t\r\n]*=[ \t\r\n]*DMARC1[ \t\r\n]*(;|$)/.test(text);

/**
 * Parses one TXT record as a DMARC Policy Record. Tag names are converted to lowercase as receivers do, keyword values
 * are case-insensitive (RFC 5234 section 2.3), and the first of duplicate tags counts. A malformed tag has a finding,
 * and its default applies (RFC 9989 section 4.8).
 */
export function parseDmarcRecord(text: string): ParsedDmarcRecord {
  if (!isDmarcRecord(text)) {
    return { ok: false, resembles: /\bdmarc\s*1\b|\bv\s*=[\s"'\\]*dmarc/i.test(text.slice(0, 64)) };
  }
  const findings: Finding[] = [];
  const { values, tags } = readTags(text, findings);
  const word = <W extends string>(tag: string, words: readonly W[]): W | 'malformed' | undefined => {
    const value = values.get(tag)?.toLowerCase();
    return value === undefined ? undefined : (words.find((known) => known === value) ?? 'malformed');
  };
  const about = (tag: string) => ({ tag, value: excerpt(values.get(tag) ?? '') });
  const tagValue = <W extends string>(tag: string, words: readonly W[], byDefault: W): W => {
    const read = word(tag, words) ?? byDefault;
    if (read !== 'malformed') return read;
    findings.push(raise('dmarc-invalid-value', { ...about(tag), instead: byDefault }));
    return byDefault;
  };
  const rua = readUris('rua', values.get('rua'), findings);
  const ruf = readUris('ruf', values.get('ruf'), findings);
  const pct = values.get('pct');
  const stated = { p: word('p', policies), sp: word('sp', policies), np: word('np', policies) };
  const record: DmarcRecord = {
    tags,
    p: usable(stated.p),
    sp: usable(stated.sp),
    np: usable(stated.np),
    adkim: tagValue('adkim', ['r', 's'], 'r'),
    aspf: tagValue('aspf', ['r', 's'], 'r'),
    fo: readFailureOptions(values, findings),
    rua,
    ruf,
    t: tagValue('t', ['y', 'n'], 'n'),
    psd: tagValue('psd', ['y', 'n', 'u'], 'u'),
    pct: pct !== undefined && removedTags.pct(pct) ? Number(pct) : 100,
    applied: appliedPolicies(stated, rua.length > 0),
  };
  for (const tag of ['p', 'sp', 'np'] as const) {
    if (stated[tag] !== 'malformed') continue;
    const args = { ...about(tag), ...dormantPolicies([record]) };
    if (rua.length === 0) findings.push(raise('dmarc-void-record', args));
    else if (tag !== 'p') findings.push(raise('dmarc-invalid-subdomain-policy', args));
    else findings.push(raise('dmarc-invalid-value', { ...args, instead: 'none' }));
  }
  lintPolicy(record, values, findings);
  if (!values.has('rua')) findings.push(raise('dmarc-missing-rua', extensible(text)));
  lintRemovedTags(record, values, findings);
  return { ok: true, record, findings };
}

/** The policies that records state although receivers do not apply them: what a correction would bring into effect. */
export function dormantPolicies(records: readonly Pick<DmarcRecord, 'p' | 'sp' | 'np'>[]): {
  readonly policies?: string;
} {
  const stated = records.map((record) =>
    (['p', 'sp', 'np'] as const)
      .flatMap((tag) => (record[tag] === null ? [] : [`${tag}=${record[tag]}`]))
      .join('; '),
  );
  const policies = [...new Set(stated)].filter((text) => text !== '').join(' or ');
  return policies === '' ? {} : { policies };
}

/** What a finding can propose as the start of a longer record: the whole record, without separators at its end. */
function extensible(text: string): { readonly record?: string } {
  const record = text.replace(/[; \t]{1,16}$/, '');
  return record.length <= MAX_PROPOSED && /^v[\x20-\x21\x23-\x7e]+$/.test(record) ? { record } : {};
}

/** Whether `policy` is weaker than `other`. */
function isWeaker(policy: Policy, other: Policy): boolean {
  return policies.indexOf(policy) < policies.indexOf(other);
}

function readTags(text: string, findings: Finding[]): { values: Map<string, string>; tags: Tag[] } {
  const list = parseTagList(text);
  const values = new Map<string, string>();
  const duplicates = list.problems.filter(({ kind }) => kind === 'duplicate').map((problem) => problem.text);
  const malformed = list.problems.filter(({ kind }) => kind !== 'duplicate').map((problem) => problem.text);
  const tags: Tag[] = [];
  for (const tag of list.tags) {
    const name = tag.name.toLowerCase();
    if (values.has(name)) {
      duplicates.push(`${tag.name}=${tag.value}`);
      continue;
    }
    values.set(name, tag.value);
    tags.push(tag);
  }
  const known = (name: string) => ACTIVE_TAGS.includes(name) || Object.hasOwn(removedTags, name);
  const folded = tags.filter(({ name }) => name !== name.toLowerCase() && known(name.toLowerCase()));
  const unknown = tags.filter(({ name }) => !known(name.toLowerCase()));
  const broken = malformed.filter((spec) => spec !== '');
  const named = (found: readonly Tag[]) => ({ tags: excerpts(found.map(({ name }) => name)) });
  if (/^[ \t\r\n]/.test(text)) findings.push(raise('dmarc-leading-white-space'));
  if (broken.length > 0) findings.push(raise('dmarc-malformed-tags', { tags: excerpts(broken) }));
  if (broken.length < malformed.length) findings.push(raise('dmarc-empty-tags'));
  if (duplicates.length > 0) findings.push(raise('dmarc-duplicate-tags', { tags: excerpts(duplicates) }));
  if (folded.length > 0) findings.push(raise('dmarc-tag-name-case', named(folded)));
  if (unknown.length > 0) findings.push(raise('dmarc-unknown-tags', named(unknown)));
  return { values, tags };
}

function readUris(tag: string, value: string | undefined, findings: Finding[]): readonly ReportUri[] {
  if (value === undefined) return [];
  const { uris, malformed } = parseReportUris(value);
  const named = (found: readonly ReportUri[]) => ({ tag, uris: excerpts(found.map(({ uri }) => uri)) });
  const foreign = uris.filter(({ scheme }) => scheme !== 'mailto');
  const addressless = uris.filter(({ scheme, host }) => scheme === 'mailto' && host === null);
  const sized = uris.filter((uri) => uri.sized);
  if (malformed.length > 0) findings.push(raise('dmarc-malformed-uri', { tag, uris: excerpts(malformed) }));
  if (foreign.length > 0) findings.push(raise('dmarc-unsupported-uri', named(foreign)));
  if (addressless.length > 0) findings.push(raise('dmarc-uri-without-address', named(addressless)));
  if (sized.length > 0) findings.push(raise('dmarc-uri-size', named(sized)));
  return uris;
}

/** RFC 9989 section 4.7 `fo`: distinct values separated by colons, not both `0` and `1`. */
function readFailureOptions(values: ReadonlyMap<string, string>, findings: Finding[]): readonly string[] {
  const value = values.get('fo');
  if (value === undefined) return ['0'];
  if (!values.has('ruf')) findings.push(raise('dmarc-fo-without-ruf'));
  const options = value.toLowerCase().split(/[ \t]?:[ \t]?/, FAILURE_OPTIONS.length + 1);
  const distinct = new Set(options).size === options.length;
  if (!distinct || !options.every((option) => FAILURE_OPTIONS.some((known) => known === option))) {
    findings.push(raise('dmarc-invalid-value', { tag: 'fo', value: excerpt(value), instead: '0' }));
    return ['0'];
  }
  if (options.includes('0') && options.includes('1')) findings.push(raise('dmarc-fo-conflict'));
  return options;
}

type Stated = Policy | 'malformed' | undefined;

function usable(stated: Stated): Policy | null {
  return stated === undefined || stated === 'malformed' ? null : stated;
}

/** RFC 9989 section 4.10.1: if a policy is missing or malformed and there is a `rua`, all policies are `none`. */
function appliedPolicies(
  { p, sp, np }: Readonly<Record<'p' | 'sp' | 'np', Stated>>,
  hasReportUri: boolean,
): DmarcRecord['applied'] {
  const isStated = p !== undefined && p !== 'malformed';
  if (isStated && sp !== 'malformed' && np !== 'malformed') return { p, sp: sp ?? p, np: np ?? sp ?? p };
  return hasReportUri ? { p: 'none', sp: 'none', np: 'none' } : null;
}

function lintPolicy(record: DmarcRecord, values: ReadonlyMap<string, string>, findings: Finding[]): void {
  const { p, applied } = record;
  if (!values.has('p')) findings.push(raise(applied === null ? 'dmarc-not-applied' : 'dmarc-missing-policy'));
  const place = record.tags.findIndex(({ name }) => name.toLowerCase() === 'p');
  if (place > 1) findings.push(raise('dmarc-policy-not-second'));
  if (p === null) return;
  if (record.t === 'y' && [p, record.sp, record.np].some((policy) => policy !== null && policy !== 'none')) {
    findings.push(raise('dmarc-testing', record.pct < 100 ? { percentage: record.pct } : {}));
  }
  for (const tag of ['sp', 'np'] as const) {
    const value = record[tag];
    if (value !== null && isWeaker(value, p)) {
      findings.push(raise('dmarc-weaker-subdomain-policy', { tag, value, policy: p }));
    }
  }
}

function lintRemovedTags(
  record: DmarcRecord,
  values: ReadonlyMap<string, string>,
  findings: Finding[],
): void {
  for (const [tag, isValid] of Object.entries(removedTags)) {
    const value = values.get(tag);
    if (value === undefined) continue;
    const isApplied = Object.values(record.applied ?? {}).some((policy) => policy !== 'none');
    const isPartial = tag === 'pct' && record.pct < 100 && isApplied;
    // Beside t=y, pct extends the test to RFC 7489 receivers.
    if (isPartial && record.t === 'y') continue;
    if (!isValid(value)) findings.push(raise('dmarc-invalid-removed-tag', { tag, value: excerpt(value) }));
    else if (isPartial) findings.push(raise('dmarc-partial', { percentage: Number(value) }));
    else findings.push(raise('dmarc-removed-tag', { tag }));
  }
}
