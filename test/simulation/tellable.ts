/** What alerts are raised from: records, and findings that are no mere notices. */
import type { CheckName, CheckResults } from '../../shared/checks/results.ts';

export const checkNames: readonly CheckName[] = [
  'mx',
  'spf',
  'dkim',
  'dmarc',
  'mtaSts',
  'tlsRpt',
  'bimi',
  'dnssec',
];

export interface Tellable {
  readonly findings: readonly string[];
  readonly records: unknown;
}

export function tellable(name: CheckName, results: CheckResults): Tellable {
  const selectors = name === 'dkim' ? results.dkim.selectors : [];
  const findings = [results[name], ...selectors]
    .flatMap((outcome) => outcome.findings)
    .filter(({ severity }) => severity !== 'notice')
    .map(({ id, subject }) => `${id} ${subject ?? ''}`)
    .toSorted();
  return { findings, records: results[name].state === 'unknown' ? 'unknown' : recordsOf(name, results) };
}

function recordsOf(name: CheckName, results: CheckResults): unknown {
  switch (name) {
    case 'mx':
      return results.mx.records;
    case 'dkim':
      return results.dkim.selectors.map(({ selector, record }) => ({ selector, record }));
    case 'mtaSts':
      return [results.mtaSts.dnsRecord, results.mtaSts.policyMode];
    case 'dnssec':
      return [results.dnssec.enabled, results.dnssec.dsRecords];
    default:
      return results[name].record;
  }
}
