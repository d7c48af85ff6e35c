/**
 * The identity of a report. Reporters send the same report again, reorder its records, and reuse ids for other periods or
 * other content, so an id alone is not enough.
 */
import { hash } from 'node:crypto';
import type { DmarcRecordRow, DmarcReportHeader, ReportIdentity, TlsReport } from './report.ts';

const sha256 = (facts: unknown): string => hash('sha256', JSON.stringify(facts), 'hex');

/**
 * Hashes rows one by one, in any order. The hashed fields are listed explicitly, so that new fields change no hash. Only
 * the sums of the row digests, per 32 bits, are kept, which do not depend on the order. A reporter could construct two
 * reports with equal sums, but only of its own reports; the first one then stays stored.
 */
export class DmarcIdentityHasher {
  readonly #sums = new Uint32Array(8);
  #rows = 0;

  add(row: DmarcRecordRow): void {
    let facts =
      part(row.sourceIp) +
      row.count +
      part(row.reportedDisposition ?? row.disposition) +
      part(row.dkim) +
      part(row.spf) +
      part(row.headerFrom) +
      part(row.envelopeFrom) +
      part(row.envelopeTo);
    for (const { type, comment } of row.reasons) facts += `r${part(type)}${part(comment)}`;
    for (const { domain, result, selector } of row.dkimResults)
      facts += `d${part(domain)}${part(result)}${part(selector)}`;
    for (const { domain, result, scope } of row.spfResults)
      facts += `s${part(domain)}${part(result)}${part(scope)}`;
    const digest = hash('sha256', facts, 'binary');
    const sums = this.#sums;
    for (let word = 0; word < sums.length; word++) {
      const at = word * 4;
      const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
      sums[word] = (sums[word] ?? 0) + (high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3));
    }
    this.#rows++;
  }

  identity(report: DmarcReportHeader): ReportIdentity {
    const policy = [
      report.policyP,
      report.policySp,
      report.policyNp,
      report.policyAdkim,
      report.policyAspf,
      report.policyPct,
      report.testing,
    ];
    return {
      key: key('dmarc', [report.policyDomain], report.orgName, report),
      contentHash: sha256([policy, this.#rows, [...this.#sums]]),
    };
  }
}

export function tlsIdentity(report: TlsReport): ReportIdentity {
  const domains = report.policies.map(({ policyDomain }) => policyDomain);
  const policies = report.policies.map((policy) =>
    sha256([
      policy.policyType,
      policy.policyDomain,
      policy.policyString,
      policy.mxHost,
      policy.successCount,
      policy.failureCount,
      policy.failureDetails
        .map((detail) => [
          detail.resultType,
          detail.sendingMtaIp,
          detail.receivingMxHostname,
          detail.receivingMxHelo,
          detail.receivingIp,
          detail.failedSessionCount,
          detail.additionalInformation,
          detail.failureReasonCode,
        ])
        .map((facts) => JSON.stringify(facts))
        .sort(),
    ]),
  );
  return {
    key: key('tls', [...new Set(domains)].sort(), report.organizationName, report),
    contentHash: sha256(policies.sort()),
  };
}

/** Prefixed with its length, so that different lists of facts never have the same text. */
const part = (text: string | null): string => (text === null ? '-' : `${text.length}:${text}`);

function key(
  kind: string,
  domains: readonly string[],
  submitter: string,
  report: { readonly reportId: string; readonly dateRangeBegin: string; readonly dateRangeEnd: string },
): string {
  const { reportId, dateRangeBegin, dateRangeEnd } = report;
  return sha256([kind, domains, submitter.toLowerCase(), reportId, dateRangeBegin, dateRangeEnd]);
}
