/** SMTP TLS reports (RFC 8460 section 4), including common deviations of real reporters. */

import { tlsIdentity } from '../identity.ts';
import { isJsonObject, type JsonObject, member, parseJson } from '../json-text.ts';
import { MAX_FAILURE_DETAILS, MAX_POLICY_STRINGS, MAX_TLS_POLICIES } from '../limits.ts';
import { checkPeriod, type Period } from '../period.ts';
import { notAReport, tooLarge, unreadable } from '../refusal.ts';
import type { ReportIdentity, TlsFailureDetail, TlsReading, TlsReport, TlsReportPolicy } from '../report.ts';
import { normalizedAddress, normalizedDomain, truncated, wholeNumber } from '../values.ts';
import type { WarningId, Warnings } from '../warnings.ts';

interface ReadTlsReport {
  readonly report: TlsReport;
  readonly counts: TlsReading['counts'];
  readonly identity: ReportIdentity;
}

/** What is known about the report from outside the document, and the list that collects its warnings. */
interface TlsReportContext {
  readonly warnings: Warnings;
  /** The TLS-Report-Domain field of the mail (section 5.3), for policies that do not name their domain. */
  readonly domain?: string;
  /** When the report was received. */
  readonly now?: Date;
}

/**
 * A JSON document with at least two of these members is a TLS report or an attempt at one. One is not enough: other
 * documents have policies too.
 */
const reportMembers = ['organization-name', 'date-range', 'report-id', 'policies', 'contact-info'] as const;

/** Parses a complete report. Throws a RefusalError. */
export function readTlsReport(bytes: Uint8Array, context: TlsReportContext): ReadTlsReport {
  return withTotals(readReport(bytes, context));
}

/**
 * Adds the totals of the policies and the identity to a report. Throws a RefusalError if the totals are too large.
 */
export function withTotals(report: TlsReport): ReadTlsReport {
  const successful = sum(report.policies.map(({ successCount }) => successCount));
  const failed = sum(report.policies.map(({ failureCount }) => failureCount));
  return { report, counts: { successful, failed }, identity: tlsIdentity(report) };
}

function readReport(bytes: Uint8Array, context: TlsReportContext): TlsReport {
  const { warnings } = context;
  const json = parse(bytes);
  const isReport =
    isJsonObject(json) && reportMembers.filter((name) => member(json, name) !== undefined).length > 1;
  if (!isReport) {
    throw notAReport('the JSON is not a TLS report');
  }
  const organizationName = requiredText(json, 'organization-name');
  const reportId = requiredText(json, 'report-id');
  const { begin, end } = readPeriod(json, warnings);
  checkPeriod({ begin, end }, context.now, warnings);
  const policies = member(json, 'policies');
  if (!Array.isArray(policies)) throw unreadable('policies is missing or not an array');
  if (policies.length > MAX_TLS_POLICIES)
    throw tooLarge(`the report has more than ${MAX_TLS_POLICIES} policies`);
  if (policies.length === 0) warnings.add('no-policies');
  const contact = member(json, 'contact-info');
  if (typeof contact !== 'string' || contact === '') warnings.add('no-contact-info');
  const budget: DetailBudget = { details: MAX_FAILURE_DETAILS };
  const reader = new PolicyReader(warnings, budget, context.domain ?? '');
  return {
    kind: 'tls',
    reportId,
    organizationName,
    contactInfo: typeof contact === 'string' ? truncated(contact) : '',
    dateRangeBegin: begin.toISOString(),
    dateRangeEnd: end.toISOString(),
    policies: policies.map((policy, index) => reader.read(policy, index)),
  };
}

/**
 * Parses JSON. Text that is not valid JSON counts as a report, and is unreadable, only if it contains a member name of
 * one.
 */
function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (refusal) {
    const start = Buffer.from(bytes.subarray(0, 4_096)).toString('latin1');
    if (reportMembers.some((name) => start.includes(`"${name}"`))) throw refusal;
    throw notAReport('it is neither XML nor JSON');
  }
}

function requiredText(json: JsonObject, name: string): string {
  const value = member(json, name);
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.trim() === '') throw unreadable(`${name} is missing`);
  return truncated(text.trim());
}

function readPeriod(json: JsonObject, warnings: Warnings): Period {
  const range = member(json, 'date-range');
  if (!isJsonObject(range)) throw unreadable('date-range is missing');
  return {
    begin: readTime(range, 'start-datetime', warnings),
    end: readTime(range, 'end-datetime', warnings),
  };
}

/** RFC 3339, but the time zone may be missing or in the basic format of ISO 8601. */
const TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?$/;

function readTime(range: JsonObject, name: string, warnings: Warnings): Date {
  const value = member(range, name);
  const parts = typeof value === 'string' ? TIME.exec(value.trim()) : null;
  const [, day, clock, zone] = parts ?? [];
  const time = new Date(`${day}T${clock}${zone?.toUpperCase().replace(/(\d\d)(\d\d)$/, '$1:$2') ?? 'Z'}`);
  if (Number.isNaN(time.getTime())) throw unreadable(`date-range/${name} is missing or not a valid time`);
  if (zone === undefined) warnings.add('date-without-zone', () => `date-range/${name}`, String(value));
  return time;
}

function sum(counts: readonly number[]): number {
  const total = counts.reduce((all, count) => all + count, 0);
  if (!Number.isSafeInteger(total)) throw unreadable('the sum of the counts is too large');
  return total;
}

/** The remaining number of failure details that the report may have. */
interface DetailBudget {
  details: number;
}

const policyTypes: ReadonlySet<string> = new Set(['tlsa', 'sts', 'no-policy-found']);
const resultTypes: ReadonlySet<string> = new Set([
  'starttls-not-supported',
  'certificate-host-mismatch',
  'certificate-expired',
  'certificate-not-trusted',
  'validation-failure',
  'tlsa-invalid',
  'dnssec-invalid',
  'dane-required',
  'sts-policy-fetch-error',
  'sts-policy-invalid',
  'sts-webpki-invalid',
]);

/** Reads the policies of a report, with their failures (sections 4.2 to 4.4). */
class PolicyReader {
  readonly #warnings: Warnings;
  readonly #budget: DetailBudget;
  readonly #domain: string;
  #at = '';

  /** `domain` is used for policies that name no domain. */
  constructor(warnings: Warnings, budget: DetailBudget, domain: string) {
    this.#warnings = warnings;
    this.#budget = budget;
    this.#domain = normalizedDomain(domain.trim());
  }

  read(value: unknown, index: number): TlsReportPolicy {
    this.#at = `policies[${index}]`;
    const item = this.#object(value, '');
    const policy = this.#object(member(item, 'policy'), '/policy');
    const summary = this.#object(member(item, 'summary'), '/summary');
    const failureCount = this.#count(summary, 'total-failure-session-count', '/summary');
    const failureDetails = this.#details(member(item, 'failure-details'));
    const described = failureDetails.reduce((all, { failedSessionCount }) => all + failedSessionCount, 0);
    if (failureDetails.length > 0 && described !== failureCount) {
      this.#warn('failure-sum', '', `${described} of ${failureCount}`);
    }
    return {
      policyType: this.#type(policy),
      policyDomain: this.#policyDomain(policy),
      policyString: this.#policyString(member(policy, 'policy-string')),
      mxHost: this.#mxHost(policy),
      successCount: this.#count(summary, 'total-successful-session-count', '/summary'),
      failureCount,
      failureDetails,
    };
  }

  #type(policy: JsonObject): string {
    const text = this.#text(policy, 'policy-type', '/policy');
    if (text === null) this.#warn('missing-policy-type', '/policy/policy-type');
    const type = (text ?? '').toLowerCase();
    if (type !== (text ?? '')) this.#warn('capitals-in-value', '/policy/policy-type', text ?? '');
    if (text !== null && !policyTypes.has(type))
      this.#warn('unknown-policy-type', '/policy/policy-type', text);
    return type;
  }

  #policyDomain(policy: JsonObject): string {
    const text = this.#text(policy, 'policy-domain', '/policy');
    if (text === null) this.#warn('missing-policy-domain', '/policy/policy-domain');
    return text === null ? this.#domain : truncated(normalizedDomain(text));
  }

  /** Accepts an array of strings, a string, and a string that contains an array. */
  #policyString(value: unknown): readonly string[] {
    const lines = this.#strings(value, 'policy-string-form', '/policy/policy-string');
    const [only = ''] = lines.length === 1 ? lines : [];
    if (!only.startsWith('[')) return lines;
    try {
      const written: readonly unknown[] = JSON.parse(only);
      this.#warn('policy-string-form', '/policy/policy-string', only);
      return written
        .filter((line) => typeof line === 'string')
        .slice(0, MAX_POLICY_STRINGS)
        .map(truncated);
    } catch {
      return lines;
    }
  }

  /**
   * Section 4.4 defines `mx-host` as a string. Some reporters send an array, name it `mx-host-pattern`, or write `mx:
   * name`.
   */
  #mxHost(policy: JsonObject): readonly string[] {
    const at = '/policy/mx-host';
    const named = member(policy, 'mx-host');
    const other = member(policy, 'mx-host-pattern');
    if (named === undefined && other !== undefined) this.#warn('mx-host-form', at, 'mx-host-pattern');
    const value = named ?? other;
    const hosts = typeof value === 'string' ? [truncated(value)] : this.#strings(value, 'mx-host-form', at);
    return hosts.map((host) => {
      const name = host.replace(/^mx:\s*/i, '');
      if (name !== host) this.#warn('mx-host-form', at, host);
      return hostForm(name);
    });
  }

  #details(value: unknown): readonly TlsFailureDetail[] {
    if (value === undefined || value === null) return [];
    const items = Array.isArray(value) ? value : [];
    if (!Array.isArray(value)) this.#warn('member-form', '/failure-details');
    this.#budget.details -= items.length;
    if (this.#budget.details < 0) throw tooLarge('the report describes too many failures');
    return items.map((item, index) => this.#detail(item, `/failure-details[${index}]`));
  }

  #detail(value: unknown, at: string): TlsFailureDetail {
    const detail = this.#object(value, at);
    const host = this.#text(detail, 'receiving-mx-hostname', at);
    const helo = this.#text(detail, 'receiving-mx-helo', at);
    return {
      resultType: this.#resultType(detail, at),
      sendingMtaIp: this.#address(detail, 'sending-mta-ip', at),
      receivingMxHostname: host === null ? null : hostForm(host),
      receivingMxHelo: helo,
      receivingIp: this.#address(detail, 'receiving-ip', at),
      failedSessionCount: this.#count(detail, 'failed-session-count', at),
      additionalInformation:
        this.#text(detail, 'additional-information', at) ?? this.#text(detail, 'additional-info-uri', at),
      failureReasonCode: this.#text(detail, 'failure-reason-code', at),
    };
  }

  #resultType(detail: JsonObject, at: string): string {
    const text = this.#text(detail, 'result-type', at);
    if (text === null) this.#warn('missing-result-type', `${at}/result-type`);
    const type = (text ?? '').toLowerCase();
    if (text !== null && !resultTypes.has(type)) this.#warn('unknown-result-type', `${at}/result-type`, text);
    return type;
  }

  #address(detail: JsonObject, name: string, at: string): string | null {
    const text = this.#text(detail, name, at);
    if (text === null) return null;
    const address = normalizedAddress(text.replace(/^\[(.*)\]$/, '$1'));
    if (address === undefined) this.#warn('invalid-source-ip', `${at}/${name}`, text);
    return address ?? text;
  }

  #count(object: JsonObject, name: string, at: string): number {
    const value = member(object, name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    const count = typeof value === 'string' ? wholeNumber(value.trim()) : undefined;
    if (count === undefined) this.#warn('missing-count', `${at}/${name}`, textOf(value));
    else this.#warn('number-as-text', `${at}/${name}`, textOf(value));
    return count ?? 0;
  }

  /** Null if the member is missing, null or empty. */
  #text(object: JsonObject, name: string, at: string): string | null {
    const value = member(object, name);
    if (typeof value === 'string')
      return value.trim() === '' ? null : this.#kept(value.trim(), `${at}/${name}`);
    if (value !== undefined && value !== null) this.#warn('member-form', `${at}/${name}`, textOf(value));
    return null;
  }

  #strings(value: unknown, form: WarningId, at: string): readonly string[] {
    if (value === undefined || value === null) return [];
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const strings = items.filter((item) => typeof item === 'string');
    if (!Array.isArray(value) || strings.length !== items.length) this.#warn(form, at);
    if (strings.length > MAX_POLICY_STRINGS) this.#warn('value-cut', at);
    return strings.slice(0, MAX_POLICY_STRINGS).map((text) => this.#kept(text, at));
  }

  #object(value: unknown, at: string): JsonObject {
    if (isJsonObject(value)) return value;
    this.#warn('member-form', at);
    return {};
  }

  #kept(text: string, at: string): string {
    const short = truncated(text);
    if (short !== text) this.#warn('value-cut', at);
    return short;
  }

  #warn(id: WarningId, at: string, value?: string): void {
    const policy = this.#at;
    this.#warnings.add(id, () => policy + at, value);
  }
}

/** Patterns such as `*.example.org` and `.example.org` are kept. */
const hostForm = (text: string): string => text.trim().toLowerCase().replace(/\.$/, '');

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value);
}
