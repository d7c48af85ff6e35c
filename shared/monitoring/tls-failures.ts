/**
 * Failures of TLS reports, joined to what the checks of the domain saw at that time, so that a failure names its cause
 * where the checks know it.
 */
import type { CheckResults } from '../checks/results.ts';
import type { Finding } from '../protocol/findings/finding.ts';
import { mxMatcher } from '../protocol/mta-sts/match.ts';
import type { TlsReportPolicy } from '../reports/report.ts';
import type { ChecksEntry } from '../store/check-runs/history.ts';
import type { StoredTlsReport } from '../store/reports/tls-reports.ts';
import { type Seen, seenAt } from './seen-at.ts';

interface TlsReportWithPolicies {
  readonly report: Pick<StoredTlsReport, 'organizationName' | 'dateRangeBegin' | 'dateRangeEnd'>;
  readonly policies: Iterable<TlsReportPolicy>;
}

/** What the checks know: the latest results, and the history, newest first. */
interface CheckKnowledge {
  readonly results: CheckResults;
  readonly entries: readonly ChecksEntry[];
}

/** The failed sessions of one sender at one MX host for one reason. */
export interface TlsFailure {
  /** RFC 8460 section 4.3, or as reported. */
  readonly resultType: string;
  /** As reported; null if the report does not say. */
  readonly host: string | null;
  readonly sender: string;
  readonly sessions: number;
  /** ISO 8601: the beginning of the first and the end of the last period with such failures. */
  readonly from: string;
  readonly to: string;
  /** What the sender applied, as reported last. */
  readonly policyType: string;
  readonly policy: readonly string[];
  /** What the sender adds, without duplicates. */
  readonly remarks: readonly string[];
  readonly cause: TlsCause;
  readonly published: PublishedThen;
}

/** What the checks saw then; undefined if that is not known. */
interface PublishedThen {
  readonly mx: readonly string[] | undefined;
  readonly mtaSts: readonly string[] | undefined;
}

/** `finding`: what the check found then. */
export type TlsCause =
  | { readonly kind: 'finding'; readonly findings: readonly Finding[] }
  | { readonly kind: 'not-in-policy'; readonly patterns: readonly string[] }
  | { readonly kind: 'certificate-expired'; readonly expiry: string }
  /** The checks saw nothing that explains the failure. */
  | { readonly kind: 'unexplained' }
  /** No check ran at that time, or none had an answer. */
  | { readonly kind: 'unchecked' };

/** The findings that explain a result type (RFC 8460 section 4.3), by the beginning of their ids. */
const explaining: Readonly<Record<string, readonly string[]>> = {
  'starttls-not-supported': ['mx-no-starttls', 'mx-starttls-failed'],
  'certificate-host-mismatch': ['mx-certificate-name', 'mta-sts-mx-not-covered', 'mta-sts-mx-not-secure'],
  'certificate-expired': ['mx-certificate-expired', 'mta-sts-mx-not-secure'],
  'certificate-not-trusted': [
    ...['mx-certificate-untrusted', 'mx-certificate-not-yet-valid', 'mx-certificate-expired'],
    'mta-sts-mx-not-secure',
  ],
  'validation-failure': [
    ...['mx-starttls-failed', 'mx-tls-old', 'mx-tls-weak', 'mx-certificate-', 'mx-tlsa-mismatch'],
    ...['mta-sts-mx-not-covered', 'mta-sts-mx-not-secure'],
  ],
  'tlsa-invalid': ['mx-tlsa-mismatch', 'mx-tlsa-unusable', 'mx-tlsa-without-tls'],
  'dnssec-invalid': ['mx-tlsa-bogus', 'dnssec-'],
  'dane-required': ['mx-tlsa-not-signed', 'mx-tlsa-unusable', 'mx-dane-', 'dnssec-'],
  'sts-policy-fetch-error': ['mta-sts-policy-'],
  'sts-policy-invalid': ['mta-sts-policy-', 'mta-sts-record-'],
  'sts-webpki-invalid': ['mta-sts-policy-certificate'],
};

/** The failures by type, MX host and sender, most sessions first. */
export function tlsFailures(
  reports: readonly TlsReportWithPolicies[],
  known: CheckKnowledge | undefined,
): readonly TlsFailure[] {
  const groups = new Map<string, Counted>();
  for (const { report, policies } of reports) {
    for (const policy of policies) {
      for (const detail of policy.failureDetails) {
        const host = detail.receivingMxHostname;
        const key = JSON.stringify([detail.resultType, host, report.organizationName]);
        const group = groups.get(key) ?? newGroup(detail.resultType, host, report.organizationName);
        groups.set(key, group);
        group.sessions += detail.failedSessionCount;
        if (group.from === '' || report.dateRangeBegin < group.from) group.from = report.dateRangeBegin;
        if (report.dateRangeEnd >= group.to)
          Object.assign(group, { to: report.dateRangeEnd, policy, ip: detail.receivingIp });
        const { failureReasonCode, additionalInformation } = detail;
        for (const remark of [failureReasonCode, additionalInformation])
          if (remark) group.remarks.add(remark);
      }
    }
  }
  return [...groups.values()]
    .toSorted((a, b) => b.sessions - a.sessions || (a.to < b.to ? 1 : -1))
    .map((group) => joined(group, known));
}

interface Counted {
  readonly resultType: string;
  readonly host: string | null;
  readonly sender: string;
  sessions: number;
  from: string;
  to: string;
  policy: TlsReportPolicy | undefined;
  ip: string | null;
  readonly remarks: Set<string>;
}

function newGroup(resultType: string, host: string | null, sender: string): Counted {
  const none = { sessions: 0, from: '', to: '', policy: undefined, ip: null };
  return { resultType, host, sender, ...none, remarks: new Set() };
}

function joined(group: Counted, known: CheckKnowledge | undefined): TlsFailure {
  const { policy, remarks, ip: _, ...counted } = group;
  const recordsOf = (name: 'mx' | 'mtaSts') => known && seenAt(name, group.to, known)?.records;
  return {
    ...counted,
    policyType: policy?.policyType ?? '',
    policy: policy?.policyString ?? [],
    remarks: [...remarks],
    published: { mx: recordsOf('mx'), mtaSts: recordsOf('mtaSts') },
    cause: causeOf(group, known),
  };
}

function causeOf(group: Counted, known: CheckKnowledge | undefined): TlsCause {
  const { host, policy, resultType, to } = group;
  const patterns = policy?.policyType === 'sts' ? patternsOf(policy) : [];
  if (host !== null && patterns.length > 0 && !mxMatcher(patterns)(host))
    return { kind: 'not-in-policy', patterns };
  if (known === undefined) return { kind: 'unchecked' };
  const seen = (['mx', 'mtaSts', 'dnssec'] as const).flatMap((name) => seenAt(name, to, known) ?? []);
  if (seen.length === 0) return { kind: 'unchecked' };
  const findings = explanations(group, seen, known.results);
  if (findings.length > 0) return { kind: 'finding', findings };
  const expiry = known.results.mx.hosts.find(({ hostname }) => hostname === host)?.certificateExpiry;
  if (resultType.startsWith('certificate-') && expiry && expiry <= to)
    return { kind: 'certificate-expired', expiry };
  return { kind: 'unexplained' };
}

/** The MX patterns of the policy that the sender applied: from its text, or else from its summary (RFC 8460 section 4.4). */
function patternsOf({ policyString, mxHost }: TlsReportPolicy): readonly string[] {
  const stated = policyString.flatMap((line) => /^mx:\s*(\S+)\s*$/.exec(line)?.[1] ?? []);
  return stated.length > 0 ? stated : mxHost;
}

/** The findings that explain the failure and are about its host, or about no host. */
function explanations({ resultType, host, ip }: Counted, seen: readonly Seen[], { mx }: CheckResults) {
  const addresses = mx.hosts.filter(({ hostname }) => hostname === host).map((one) => one.ip);
  const isAbout = ({ subject }: Finding) =>
    subject === undefined || host === null || [host, ip, ...addresses].includes(subject);
  const ids = explaining[resultType] ?? [];
  return seen
    .flatMap(({ findings }) => findings)
    .filter((found) => ids.some((id) => found.id.startsWith(id)) && isAbout(found));
}
