/** The SPF check: expands and diagnoses the SPF record of the domain (RFC 7208). */
import type { Network } from '../network/ports.ts';
import { sentences } from '../protocol/findings/finding.ts';
import { type Expansion, expand } from '../protocol/spf/expand.ts';
import { inspectAgreement } from './name-servers.ts';
import { withWarnings } from './outcome.ts';
import type { CheckState, SpfResult } from './results.ts';

/** Checks the SPF record of `domain`. The state is `unknown` if a lookup of its include tree failed. Never throws. */
export async function inspectSpf(domain: string, network: Network): Promise<SpfResult> {
  const question = { domain, name: domain, type: 'TXT', records: 'SPF', print: printSpf } as const;
  const [expansion, disagreements] = await Promise.all([
    expand(domain, network.dns),
    inspectAgreement(network, question),
  ]);
  return withWarnings(resultOf(expansion), disagreements);
}

/** Other TXT records may differ between name servers. */
function printSpf(text: string): string | undefined {
  return /^v=spf1( |$)/i.test(text) ? text : undefined;
}

function resultOf(expansion: Expansion): SpfResult {
  const { findings } = expansion;
  const errors = sentences(findings, 'error');
  const warnings = sentences(findings, 'warning');
  return {
    state: stateOf(expansion, warnings),
    findings,
    record: expansion.record,
    ...(expansion.records === undefined ? {} : { records: expansion.records }),
    version: expansion.version,
    valid: expansion.status === 'valid',
    allPolicy: expansion.allPolicy,
    mechanisms: expansion.mechanisms,
    includeTree: expansion.includeTree,
    lookupBreakdown: expansion.lookupBreakdown,
    totalLookupCount: expansion.totalLookupCount,
    flattenedIps: expansion.flattenedIps,
    detectedProviders: expansion.detectedProviders,
    errors,
    warnings,
  };
}

function stateOf({ status }: Expansion, warnings: readonly string[]): CheckState {
  switch (status) {
    case 'unknown':
      return 'unknown';
    case 'no-record':
      return 'absent';
    case 'invalid':
      return 'fail';
    case 'valid':
      return warnings.length > 0 ? 'warning' : 'pass';
  }
}
