/** The facts from which alerts are raised: records, and findings other than notices. */

import type { CheckResults } from '../../shared/checks/results.ts';
import type { CheckName } from '../../shared/checks/state.ts';

interface AlertFacts {
  readonly findings: readonly string[];
  readonly records: unknown;
}

export function alertFacts(name: CheckName, results: CheckResults): AlertFacts {
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
    case 'caa':
      return results.caa.records;
    default:
      return results[name].record;
  }
}
