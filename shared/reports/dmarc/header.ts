/** The metadata of an aggregate report and the policy that the reporter found (RFC 9990; RFC 7489 appendix C). */
import { isLookupName } from '../../protocol/domain-name.ts';
import { domainOf } from '../../protocol/mail-address.ts';
import { reportFileName } from '../file-name.ts';
import { checkPeriod, type Period, parseInstant } from '../period.ts';
import { unreadable } from '../refusal.ts';
import type { DmarcReportHeader } from '../report.ts';
import { normalizedDomain, wholeNumber } from '../values.ts';
import type { WarningId, Warnings } from '../warnings.ts';
import type { Texts } from './texts.ts';

/** What is known about the report from outside the document, and the list that collects its warnings. */
export interface ReportContext {
  readonly warnings: Warnings;
  /** The name of the attachment, which contains the policy domain and the period (RFC 7489 section 7.2.1.1). */
  readonly fileName?: string;
  /** The start tag of the root element, which declares the namespace. */
  readonly root?: string;
  /** When the report was received. Without it, the period is not checked against a time. */
  readonly now?: Date;
}

const policyValues: ReadonlySet<string> = new Set(['none', 'quarantine', 'reject']);
/** RFC 9990: by the public suffix list (RFC 7489), or by the tree walk of RFC 9989. */
const discoveryMethods: ReadonlySet<string> = new Set(['psl', 'treewalk']);

/** Throws a refusal if a value is missing that identifies the report or its period. */
export function readHeader(texts: Texts<'header'>, context: ReportContext): DmarcReportHeader {
  const { warnings } = context;
  const named = reportFileName(context.fileName ?? '');
  const period = readPeriod(texts, named, warnings);
  checkPeriod(period, context.now, warnings);
  const { email } = texts;
  return {
    kind: 'dmarc',
    reportId: readReportId(texts.report_id, named?.reportId, warnings),
    orgName: readOrgName(texts.org_name, email, warnings),
    email,
    extraContactInfo: texts.extra_contact_info || null,
    dateRangeBegin: period.begin.toISOString(),
    dateRangeEnd: period.end.toISOString(),
    policyDomain: readPolicyDomain(texts.domain, named?.domain, warnings),
    ...readPolicy(texts, warnings),
    specification: specificationOf(texts, context.root ?? ''),
    generator: texts.generator || null,
  };
}

const NAMESPACE = 'urn:ietf:params:xml:ns:dmarc-2.0';

/**
 * RFC 9990 removed `pct`, and some reporters put its namespace around a report of RFC 7489. `np` is no sign of it: RFC
 * 9091 extended RFC 7489 by that tag.
 */
function specificationOf(texts: Texts<'header'>, root: string): DmarcReportHeader['specification'] {
  const hasNewElement = [texts.testing, texts.discovery_method, texts.generator].some((text) => text !== '');
  const isNew = texts.pct === '' && (hasNewElement || root.includes(NAMESPACE));
  return isNew ? 'RFC 9990' : 'RFC 7489';
}

function readReportId(text: string, named: string | undefined, warnings: Warnings): string {
  if (text !== '') return text;
  if (named === undefined) throw unreadable('report_metadata/report_id is missing');
  warnings.add('report-id-from-file-name', undefined, named);
  return named;
}

function readOrgName(text: string, email: string, warnings: Warnings): string {
  if (text !== '') return text;
  warnings.add('missing-org-name', () => 'report_metadata/org_name');
  return normalizedDomain(domainOf(email).replace(/>$/, ''));
}

function readPeriod(header: Texts<'header'>, named: Period | undefined, warnings: Warnings): Period {
  const begin = parseInstant(header.begin, 'date_range/begin', warnings);
  const end = parseInstant(header.end, 'date_range/end', warnings);
  if (begin !== undefined && end !== undefined) return { begin, end };
  if (named === undefined) {
    throw unreadable(`date_range/${begin === undefined ? 'begin' : 'end'} is missing or not a valid time`);
  }
  warnings.add('date-from-file-name', () => 'report_metadata/date_range');
  return { begin: begin ?? named.begin, end: end ?? named.end };
}

function readPolicy(policy: Texts<'header'>, warnings: Warnings) {
  const at = (name: string) => () => `policy_published/${name}`;

  function choice(
    name: 'p' | 'sp' | 'np' | 'adkim' | 'aspf' | 'discovery_method',
    allowed: ReadonlySet<string>,
    unknown: WarningId,
  ): string | null {
    const text = policy[name];
    if (text === '') return null;
    const lower = text.toLowerCase();
    if (lower !== text) warnings.add('capitals-in-value', at(name), text);
    if (allowed.has(lower)) return lower;
    warnings.add(unknown, at(name), text);
    return name === 'p' || name === 'discovery_method' ? lower : null;
  }

  const policyP = choice('p', policyValues, 'unknown-policy');
  if (policyP === null) warnings.add('missing-policy', at('p'));
  return {
    policyP: policyP ?? 'none',
    policySp: choice('sp', policyValues, 'unknown-policy'),
    policyNp: choice('np', policyValues, 'unknown-policy'),
    policyAdkim: choice('adkim', new Set('rs'), 'unknown-alignment') ?? 'r',
    policyAspf: choice('aspf', new Set('rs'), 'unknown-alignment') ?? 'r',
    policyPct: readPercentage(policy.pct, warnings),
    testing: policy.testing.toLowerCase() === 'y',
    discoveryMethod: choice('discovery_method', discoveryMethods, 'unknown-discovery-method'),
  };
}

function readPolicyDomain(stated: string, named: string | undefined, warnings: Warnings): string {
  const text = stated || (named ?? '');
  const domain = normalizedDomain(text);
  if (domain === '') throw unreadable('policy_published/domain is missing');
  if (stated === '') warnings.add('domain-from-file-name', () => 'policy_published/domain', domain);
  if (!isLookupName(domain)) throw unreadable('policy_published/domain is not a domain name');
  if (domain !== text.toLowerCase())
    warnings.add('policy-domain-form', () => 'policy_published/domain', text);
  return domain;
}

function readPercentage(text: string, warnings: Warnings): number {
  if (text === '') return 100;
  const percentage = wholeNumber(text);
  if (percentage !== undefined && percentage <= 100) return percentage;
  warnings.add('invalid-percentage', () => 'policy_published/pct', text);
  return 100;
}
