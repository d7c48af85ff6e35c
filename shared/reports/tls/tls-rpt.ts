/** SMTP TLS reports (RFC 8460 section 4), including common deviations of real reporters. */

import { tlsIdentity } from '../identity.ts';
import { isJsonObject, type JsonObject, member, parseJson } from '../json-text.ts';
import { MAX_FAILURE_DETAILS, MAX_TLS_POLICIES } from '../limits.ts';
import { checkPeriod, type Period } from '../period.ts';
import { notAReport, tooLarge, unreadable } from '../refusal.ts';
import type { ReportIdentity, TlsReading, TlsReport } from '../report.ts';
import { truncated } from '../values.ts';
import type { Warnings } from '../warnings.ts';
import { type DetailBudget, PolicyReader } from './policy.ts';

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
